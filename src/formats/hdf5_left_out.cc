// SPDX-License-Identifier: Apache-2.0
// Replaces hdf5/ in builds without HDF5.
#include "formats/hdf5/hdf5.h"
#include "orthodict/error.h"

namespace orthodict::formats {
namespace {

[[noreturn]] void refuse(const files::InputFile& file) {
  throw data_error(file.name(), "built without HDF5 (ORTHODICT_WITH_HDF5)");
}

}  // namespace

Array read_hdf5(const files::InputFile& file, const std::string& /*member*/) { refuse(file); }
std::optional<LargeHdf5> locate_large_hdf5(const files::InputFile& file, const std::string& /*member*/) {
  refuse(file);
}
Array read_mat73(const files::InputFile& file, const std::string& /*member*/) { refuse(file); }

}  // namespace orthodict::formats
