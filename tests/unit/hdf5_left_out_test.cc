// SPDX-License-Identifier: Apache-2.0
// A build without HDF5.
#include "files.h"

namespace orthodict {
namespace {

TEST(WithoutHdf5, ItsFilesAreRefused) {
  for (const char* name : {"one.h5", "hdf5.mat"}) {
    EXPECT_MENTIONS(test::read_error(test::fixture(name)), "built without HDF5 (ORTHODICT_WITH_HDF5)");
  }
}

}  // namespace
}  // namespace orthodict
