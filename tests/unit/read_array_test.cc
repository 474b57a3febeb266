// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "files.h"
#include "files/input_file.h"
#include "files/mapped_file.h"

namespace orthodict {
namespace {

using DataReadArray = test::FolderTest;

TEST_F(DataReadArray, PathsThatAreNoFilesAreNamed) {
  for (const char* name : {"a.npy", "a.npz", "a.csv", "a.idx", "a.mat", "a.h5", "a.unknown", "a.npz:X"}) {
    EXPECT_MENTIONS(test::read_error(path(name)), "cannot be opened: No such file");
  }
  std::filesystem::create_directory(path("d.npy"));
  EXPECT_MENTIONS(test::read_error(path("d.npy")), "d.npy: is a directory");
  EXPECT_MENTIONS(test::read_error(write("e.h5", "")), "e.h5: is empty");
  ASSERT_EQ(mkfifo(path("f.npy").c_str(), 0600), 0);
  EXPECT_MENTIONS(test::read_error(path("f.npy")), "isn't a regular file");
  if (geteuid() != 0) {
    chmod(write("p.npy", "x").c_str(), 0);
    EXPECT_MENTIONS(test::read_error(path("p.npy")), "Permission denied");
  }
}

TEST_F(DataReadArray, SuffixesIgnoreCase) {
  EXPECT_EQ(to_matrix(read_array(write("A.Csv", "1,2\n"))), (RowMatrix<double>{{1, 2}}));
  const std::string npz = test::slurp(test::fixture("deflated.npz"));
  EXPECT_EQ(to_matrix(read_array(write("A.NPZ", npz) + ":X")), test::known_matrix());
}

TEST_F(DataReadArray, ContentsTellTheFormatWhenTheNameDoesNot) {
  for (const char* name : {"big_endian_fortran.npy", "plain.mat", "hdf5.mat", "one.h5"}) {
    EXPECT_EQ(to_matrix(read_array(write("data.bin", test::slurp(test::fixture(name))))), test::known_matrix()) << name;
  }
  EXPECT_EQ(to_matrix(read_array(write("train-images", test::slurp(test::fixture("stack.idx.gz"))))),
            test::known_stack());
  EXPECT_MENTIONS(test::read_error(write("data.bin", test::slurp(test::fixture("deflated.npz")))), "several arrays");
  EXPECT_MENTIONS(test::read_error(write("data.bin", "hello")), "unknown format; legal: .npy");
}

TEST_F(DataReadArray, OnlyAColonBehindAnArchiveNamesAMember) {
  std::filesystem::create_directory(path("a:b"));
  EXPECT_EQ(to_matrix(read_array(write("a:b/c:d.csv", "1,2\n"))), (RowMatrix<double>{{1, 2}}));
  const std::string npz = test::slurp(test::fixture("deflated.npz"));
  EXPECT_EQ(to_matrix(read_array(write("a:b/x.npz", npz) + ":X")), test::known_matrix());
}

TEST_F(DataReadArray, AMappedFileIsTheOneThatWasOpened) {
  const std::string contents = "what was there when it was opened";
  const files::InputFile file(write("a.bin", contents));
  std::filesystem::rename(write("b.bin", "shorter"), path("a.bin"));
  const files::MappedFile mapped(file);
  ASSERT_EQ(mapped.bytes().size(), contents.size());
  EXPECT_EQ(std::memcmp(mapped.bytes().data(), contents.data(), contents.size()), 0);
}

}  // namespace
}  // namespace orthodict
