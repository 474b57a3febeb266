// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// The dataset at `member` in an HDF5 file, read whole into memory; the file's only dataset when `member` is empty.
[[nodiscard]] Array read_hdf5(const std::string& path, const std::string& member);
// An array that is large, for this machine's memory: where its elements are, if these are in one piece and as in
// memory; else unpacked to a scratch file. Nothing for one that isn't large.
struct LargeHdf5 {
  files::ArrayInFile located;
  files::InputFile file;  // that it is in
};
[[nodiscard]] std::optional<LargeHdf5> locate_large_hdf5(const std::string& path, const std::string& member);

}  // namespace orthodict::formats
