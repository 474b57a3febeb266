// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "files.h"
#include "files/input_file.h"
#include "files/mapped_file.h"
#include "orthodict/patches.h"

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
  for (const char* name : {"big_endian_fortran.npy", "plain.mat"}) {
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

// The files have been unlinked by then, so that nothing can be reopened.
TEST_F(DataReadArray, AnOpenedSourceIsReadWithoutItsName) {
  using Reader = std::function<RowMatrix<double>(OpenedSource)>;
  const Reader as_array = [](OpenedSource source) { return to_matrix(read_array(std::move(source))); };
  const Reader as_samples = [](OpenedSource source) {
    const auto samples = read_samples(std::move(source));
    RowMatrix<double> rows(samples->size(), samples->dimension());
    Vector<double> scratch(samples->dimension());
    for (Index j = 0; j < rows.rows(); ++j) {
      rows.row(j) = Eigen::Map<const Vector<double>>(samples->block(j, 1, scratch.data()).data, rows.cols());
    }
    return rows;
  };
  write_matrix(path("a.npy"), test::known_matrix());
  write_matrix(path("a.csv"), test::known_matrix());
  const std::vector<std::pair<std::string, RowMatrix<double>>> files = {
      {path("a.npy"), test::known_matrix()},
      {path("a.csv"), test::known_matrix()},
      {write("a", test::slurp(path("a.npy"))), test::known_matrix()},
      {test::fixture("plain.mat"), to_matrix(read_array(test::fixture("plain.mat")))},
      {test::fixture("stack.idx.gz"), test::known_stack()}};
  for (const auto& [name, expected] : files) {
    for (const Reader& reader : {as_array, as_samples}) {
      const std::string copy = path("copy" + std::filesystem::path(name).filename().string());
      std::filesystem::copy_file(name, copy);
      OpenedSource source(copy);
      EXPECT_EQ(source.path(), copy);
      EXPECT_FALSE(source.is_folder() || is_image_source(source));
      std::filesystem::remove(copy);
      EXPECT_EQ(reader(std::move(source)), expected) << name;
    }
  }
}

TEST_F(DataReadArray, AFolderIsASourceOfImagesOnly) {
  const OpenedSource folder(path(""));
  EXPECT_TRUE(folder.is_folder() && is_image_source(folder));
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(read_samples(path(""))); }), "is a directory; need a file");
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(read_array(path(""))); }), "is a directory; need a file");
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
