// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// The dataset at `member` in an HDF5 file, read whole into memory; the file's only dataset when `member` is empty.
[[nodiscard]] Array read_hdf5(const files::InputFile& file, const std::string& member);
// An array that is large, for this machine's memory: where its elements are, in that file if they are in one piece and
// as in memory, and else in a scratch file. Nothing for one that isn't large.
struct LargeHdf5 {
  files::ArrayInFile located;
  std::optional<files::InputFile> unpacked;  // the scratch file, if it is in one
};
[[nodiscard]] std::optional<LargeHdf5> locate_large_hdf5(const files::InputFile& file, const std::string& member);

// The matrix `member` of a MATLAB file of version 7.3, which is HDF5; its only matrix when `member` is empty.
[[nodiscard]] Array read_mat73(const files::InputFile& file, const std::string& member);

}  // namespace orthodict::formats
