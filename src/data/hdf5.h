// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "data/array_in_file.h"
#include "orthodict/array.h"

namespace orthodict::data {

// The dataset at `member` in an HDF5 file, read whole into memory; the file's only dataset when `member` is empty.
[[nodiscard]] Array read_hdf5(const std::string& path, const std::string& member);
// Where its elements are, for those that don't fit in memory; nothing where they aren't in one piece and as in memory.
[[nodiscard]] std::optional<ArrayInFile> locate_hdf5(const std::string& path, const std::string& member);

}  // namespace orthodict::data
