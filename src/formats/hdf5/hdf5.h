// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// Reads the dataset `member` of an HDF5 file into memory; if `member` is empty, the only dataset.
[[nodiscard]] Array read_hdf5(const files::InputFile& file, const std::string& member);
// Locates the elements of a dataset that is large for this machine's memory: in the file itself if they are contiguous
// and stored as in memory, else in a scratch file to which they are unpacked. Nothing for a dataset that isn't large.
struct LargeHdf5 {
  files::ArrayInFile located;
  std::optional<files::InputFile> unpacked;  // the scratch file, if one was needed
};
[[nodiscard]] std::optional<LargeHdf5> locate_large_hdf5(const files::InputFile& file, const std::string& member);

// Reads the matrix `member` of a MATLAB file of version 7.3, which is HDF5; if `member` is empty, the only matrix.
[[nodiscard]] Array read_mat73(const files::InputFile& file, const std::string& member);

}  // namespace orthodict::formats
