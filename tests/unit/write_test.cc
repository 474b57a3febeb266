// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <stdexcept>

#include "files.h"
#include "files/atomic_file.h"
#include "files/file_descriptor.h"

namespace orthodict {
namespace {

using DataWrite = test::FolderTest;

TEST_F(DataWrite, MatricesReadBackExactly) {
  RowMatrix<double> matrix(2, 3);
  matrix << 0.1, -1e-300, 1e22, 1.0 / 3.0, 5e-324, -0.0;
  for (const char* name : {"m.npy", "m.csv", "m.tsv", "M.NPY", "M.Csv"}) {
    write_matrix(path(name), matrix);
    EXPECT_EQ(to_matrix(read_array(path(name))), matrix) << name;
  }
  EXPECT_EQ(test::slurp(path("m.tsv")).substr(0, 4), "0.1\t");
}

TEST_F(DataWrite, BlocksOfEitherTypeBecomeRowsOfTheFilesType) {
  const auto writer = open_row_writer(path("f.npy"), ElementType::kF32, 3, 2);
  const RowMatrix<double> two{{1.0, 2.0}, {0.1, 4.0}};
  const Matrix<float> wide{{0.0F, 0.0F, 0.0F}, {0.0F, 5.5F, 6.5F}, {0.0F, 0.0F, 0.0F}};
  writer->append(two);
  writer->append(RowMatrix<float>(wide.block(1, 1, 1, 2)));
  writer->commit();
  const Array array = read_array(path("f.npy"));
  EXPECT_EQ(array.type, ElementType::kF32);
  EXPECT_EQ(to_matrix(array), (RowMatrix<double>{{1.0, 2.0}, {double{0.1F}, 4.0}, {5.5, 6.5}}));
  const auto text = open_row_writer(path("f.csv"), ElementType::kF32, 1, 1);
  text->append(RowMatrix<double>{{0.1}});
  text->commit();
  EXPECT_EQ(test::slurp(path("f.csv")), "0.1\n");
}

TEST_F(DataWrite, RowsMustBeAsPromised) {
  static_cast<void>(write("m.npy", "old"));
  {
    const auto writer = open_row_writer(path("m.npy"), ElementType::kF64, 2, 2);
    writer->append(RowMatrix<double>{{1.0, 2.0}});
    EXPECT_THROW(writer->commit(), std::logic_error);
    EXPECT_THROW(writer->append(RowMatrix<double>{{1.0}}), std::logic_error);
  }
  EXPECT_EQ(test::slurp(path("m.npy")), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"m.npy"});
}

TEST_F(DataWrite, BadOptionsAreRefusedBeforeAnythingIsMade) {
  const auto open = [&](const std::string& name, ElementType type, Index rows, Index columns) {
    return test::message_of([&] { static_cast<void>(open_row_writer(path(name), type, rows, columns)); },
                            Fault::kOption);
  };
  EXPECT_MENTIONS(open("m.foo", ElementType::kF64, 1, 1), ".npy, .csv or .tsv");
  EXPECT_MENTIONS(open("m", ElementType::kF64, 1, 1), ".npy, .csv or .tsv");
  EXPECT_MENTIONS(open("m.npy", ElementType::kU8, 1, 1), "type = u8");
  EXPECT_MENTIONS(open("m.npy", ElementType::kF64, -1, 1), "rows = -1");
  EXPECT_TRUE(files().empty());
}

TEST_F(DataWrite, RowsBeyondMemoryAreAnError) {
  const auto open = [&] { static_cast<void>(open_row_writer(path("m.npy"), ElementType::kF64, 1, Index{1} << 60)); };
  EXPECT_MENTIONS(test::message_of(open), "of memory, but only");
  EXPECT_TRUE(files().empty());
}

TEST_F(DataWrite, AFileThatIsNotCommittedLeavesTheOldOneAndNoOther) {
  static_cast<void>(write("a.txt", "old"));
  {
    files::AtomicFile file(path("a.txt"));
    file.write(std::string(1 << 20, 'x'));
    EXPECT_LE(files().size(), 2U);  // two if the file system doesn't support unnamed files
  }
  EXPECT_EQ(test::slurp(path("a.txt")), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"a.txt"});
  write_file(path("a.txt"), "new");
  EXPECT_EQ(test::slurp(path("a.txt")), "new");
  EXPECT_EQ(files(), std::vector<std::string>{"a.txt"});
}

TEST_F(DataWrite, ManySmallAndOneLargeWriteKeepTheirOrder) {
  std::string expected;
  {
    files::AtomicFile file(path("a"));
    for (int i = 0; i < 50000; ++i) {
      const std::string piece = std::to_string(i) + "\n";
      file.write(piece);
      expected += piece;
    }
    file.write(std::string(1 << 20, 'x'));
    file.write("end");
    file.commit();
  }
  EXPECT_EQ(test::slurp(path("a")), expected + std::string(1 << 20, 'x') + "end");
}

TEST_F(DataWrite, LinksStayLinksAndModesStay) {
  static_cast<void>(write("target", "old"));
  chmod(path("target").c_str(), 0640);
  std::filesystem::create_symlink("target", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(test::slurp(path("target")), "new");
  struct stat status = {};
  ASSERT_EQ(stat(path("target").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  std::filesystem::create_symlink("not_yet", path("dangling"));
  write_file(path("dangling"), "made");
  EXPECT_EQ(test::slurp(path("not_yet")), "made");
  std::filesystem::create_symlink("loop", path("loop"));
  EXPECT_MENTIONS(test::message_of([&] { write_file(path("loop"), ""); }), "loop: too many symbolic links");
}

TEST_F(DataWrite, WhatCannotBeWrittenIsAnErrorThatNamesThePath) {
  EXPECT_MENTIONS(test::message_of([&] { write_file(path(""), "x"); }), "is a directory");
  EXPECT_MENTIONS(test::message_of([&] { write_file(path("no/such/a"), "x"); }), "no/such/a: cannot be written");
  static_cast<void>(write("file", ""));
  EXPECT_MENTIONS(test::message_of([&] { write_file(path("file/a"), "x"); }), "file/a: cannot be written");
  if (geteuid() != 0) {
    std::filesystem::create_directory(path("closed"));
    chmod(path("closed").c_str(), 0500);
    EXPECT_MENTIONS(test::message_of([&] { write_file(path("closed/a"), "x"); }), "closed/a: cannot be written");
  }
}

TEST_F(DataWrite, SpecialFilesAreWrittenDirectly) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_MENTIONS(test::message_of([] { write_file("/dev/full", "x"); }),
                  "/dev/full: write failed: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  std::filesystem::create_symlink("/dev/full", path("full.npy"));
  EXPECT_MENTIONS(test::message_of([&] { write_matrix(path("full.npy"), test::known_matrix()); }),
                  "full.npy: write failed");
}

TEST_F(DataWrite, ADescriptorIsWrittenDirectlyAndStaysOpen) {
  const files::FileDescriptor file(open(path("m.npy").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  write_matrix(Output(file.get(), "socket"), test::known_matrix());
  EXPECT_EQ(to_matrix(read_array(path("m.npy"))), test::known_matrix());
  write_file(Output(file.get(), "socket"), "more");
  EXPECT_TRUE(test::slurp(path("m.npy")).ends_with("more"));
  const files::FileDescriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_MENTIONS(test::message_of([&] { write_file(Output(full.get(), "socket"), "x"); }), "socket: write failed");
}

TEST_F(DataWrite, AMinusIsAFileLikeAnyOther) {
  EXPECT_MENTIONS(test::message_of([] { write_matrix("-", test::known_matrix()); }, Fault::kOption), "-: unknown");
  EXPECT_MENTIONS(test::message_of([] { static_cast<void>(read_array("-")); }), "-: cannot be opened");
}

}  // namespace
}  // namespace orthodict
