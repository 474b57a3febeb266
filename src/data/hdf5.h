// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orthodict/array.h"

namespace orthodict::data {

// The dataset at `member` in an HDF5 file, read whole into memory; the file's only dataset when `member` is empty.
[[nodiscard]] Array read_hdf5(const std::string& path, const std::string& member);

}  // namespace orthodict::data
