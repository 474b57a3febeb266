// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <hdf5.h>

#include <thread>

#include "data_files.h"

namespace orthodict {
namespace {

using DataHdf5 = test::FolderTest;

TEST_F(DataHdf5, TheOnlyDatasetIsFoundInItsGroup) {
  const Array array = read_array(test::fixture("one.h5"));
  EXPECT_EQ(to_matrix(array), test::known_matrix());
  EXPECT_MENTIONS(array.name, "one.h5:/group/X");
  EXPECT_EQ(to_matrix(read_array(test::fixture("one.h5") + ":group/X")), test::known_matrix());
  EXPECT_EQ(to_matrix(read_array(test::fixture("deflated.h5"))), test::known_matrix());
}

TEST_F(DataHdf5, TypesAreConvertedToNativeOnes) {
  const std::string path = test::fixture("many.h5");
  EXPECT_EQ(to_matrix(read_array(path + ":/stack")), test::known_stack());
  EXPECT_EQ(read_array(path + ":/stack").type, ElementType::kI16);
  EXPECT_EQ(to_matrix(read_array(path + ":/half")), test::known_matrix());
  EXPECT_EQ(to_matrix(read_array(path + ":/mask")).sum(), 9.0);
}

TEST_F(DataHdf5, ErrorsNameWhatIsThere) {
  const std::string path = test::fixture("many.h5");
  EXPECT_MENTIONS(test::read_error(path), "It has: /half, /mask, /never_written, /scalar, /stack, /text");
  EXPECT_MENTIONS(test::read_error(path + ":/nix"), "has no dataset \"/nix\"");
  EXPECT_MENTIONS(test::read_error(path + ":/text"), "type class string");
  EXPECT_MENTIONS(test::read_error(path + ":/never_written"), "never written");
  EXPECT_MENTIONS(test::read_error(test::fixture("one.h5") + ":/group"), "isn't a dataset");
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(to_matrix(read_array(path + ":/scalar"))); }), "a scalar");
}

TEST_F(DataHdf5, ADamagedFileIsAnErrorAndNothingIsPrinted) {
  testing::internal::CaptureStderr();
  const std::string whole = test::slurp(test::fixture("one.h5"));
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_MENTIONS(test::read_error(write("cut.h5", whole.substr(0, size))), "isn't a whole HDF5 file");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(DataHdf5, TheCallersErrorPrintingIsLeftAsItWas) {
  H5E_auto2_t before = nullptr;
  H5E_auto2_t after = nullptr;
  void* argument = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &argument);
  static_cast<void>(test::read_error(test::fixture("many.h5")));
  H5Eget_auto2(H5E_DEFAULT, &after, &argument);
  EXPECT_EQ(before, after);
}

TEST_F(DataHdf5, SeveralThreadsMayRead) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 20; ++k) EXPECT_EQ(to_matrix(read_array(test::fixture("one.h5"))), test::known_matrix());
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace orthodict
