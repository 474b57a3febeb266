// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "files.h"
#include "files/input_file.h"
#include "formats/hdf5/hdf5_file.h"
#include "memory/limits.h"

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

TEST_F(DataHdf5, ContentsTellTheFormatWhenTheNameDoesNot) {
  for (const char* name : {"hdf5.mat", "one.h5"}) {
    EXPECT_EQ(to_matrix(read_array(write("data.bin", test::slurp(test::fixture(name))))), test::known_matrix()) << name;
  }
}

TEST_F(DataHdf5, MatlabFilesOfVersion73AreRead) {
  EXPECT_EQ(to_matrix(read_array(test::fixture("hdf5.mat"))), test::known_matrix());
  EXPECT_MENTIONS(test::read_error(test::fixture("hdf5.mat") + ":label"), "is of class char");
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
    EXPECT_MENTIONS(test::read_error(write("cut.h5", whole.substr(0, size))), "isn't a complete HDF5 file");
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

// The elements of a dataset of doubles, when all memory is taken.
std::vector<double> read_large(const std::string& path) {
  const memory::CountedBytes taken(memory::memory_limit());
  const files::InputFile file(path);
  const formats::LargeHdf5 large = formats::locate_large_hdf5(file, "").value();
  EXPECT_EQ(large.located.array.shape, (std::vector<Index>{3, 4}));
  std::vector<double> values(12);
  (large.unpacked ? *large.unpacked : file).read(large.located.offset, std::as_writable_bytes(std::span(values)));
  return values;
}

TEST_F(DataHdf5, ALargeOneIsFoundInItsFileOrUnpacked) {
  const RowMatrix<double> known = test::known_matrix();
  const std::vector<double> values(known.data(), known.data() + known.size());
  EXPECT_EQ(read_large(test::fixture("one.h5")), values);
  EXPECT_EQ(read_large(test::fixture("deflated.h5")), values);
}

// Writes a file with a dataset of doubles, in chunks, that has no rows.
void write_without_rows(const std::string& path) {
  const hsize_t extents[] = {0, 4};
  const hsize_t most[] = {H5S_UNLIMITED, 4};
  const hsize_t chunk[] = {2, 4};
  const formats::Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const formats::Hdf5Handle space(H5Screate_simple(2, extents, most), H5Sclose);
  const formats::Hdf5Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(how.get(), 2, chunk);
  const formats::Hdf5Handle dataset(
      H5Dcreate2(file.get(), "X", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Dclose);
  ASSERT_TRUE(dataset.valid());
}

TEST_F(DataHdf5, OneWithoutRowsAndAScalarAreNeverLarge) {
  write_without_rows(path("empty.h5"));
  const memory::CountedBytes taken(memory::memory_limit());
  EXPECT_FALSE(formats::locate_large_hdf5(files::InputFile(path("empty.h5")), ""));
  EXPECT_EQ(read_array(path("empty.h5")).shape, (std::vector<Index>{0, 4}));
  EXPECT_FALSE(formats::locate_large_hdf5(files::InputFile(test::fixture("many.h5")), "/scalar"));
}

TEST_F(DataHdf5, OneThatIsReplacedIsAnError) {
  const std::string whole = test::slurp(test::fixture("one.h5"));
  const std::string name = write("a.h5", whole);
  const files::InputFile opened(name);
  const auto read = [&](const formats::Storage& storage) {
    return std::optional(files::ArrayInFile{formats::Hdf5File(opened, storage).read("/group/X")});
  };
  EXPECT_EQ(to_matrix(formats::read_isolated(name, read)->array), test::known_matrix());
  std::filesystem::rename(write("b.h5", whole), name);
  EXPECT_EQ(test::message_of([&] { static_cast<void>(formats::read_isolated(name, read)); }),
            name + ": was replaced while it was read");
}

}  // namespace
}  // namespace orthodict
