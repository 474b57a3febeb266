// SPDX-License-Identifier: Apache-2.0
#include "formats/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "files.h"

namespace orthodict {
namespace {

using DataNpy = test::FolderTest;

std::string npy(const std::string& dict, const std::string& data, char major = 1) {
  const std::string text = dict + "\n";
  std::string length;
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) length += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return "\x93NUMPY" + std::string{major, '\0'} + length + text + data;
}

std::string dict(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

std::string doubles(Index count) {
  std::string bytes;
  for (Index i = 0; i < count; ++i) bytes += test::element_bytes(ElementType::kF64, static_cast<double>(i), false);
  return bytes;
}

TEST_F(DataNpy, EveryVersionIsRead) {
  for (const char major : {'\1', '\2', '\3'}) {
    const Array array = read_array(write("v.npy", npy(dict("<f8", "False", "(2, 3)"), doubles(6), major)));
    EXPECT_EQ(array.shape, (std::vector<Index>{2, 3}));
    EXPECT_EQ(to_matrix(array)(1, 2), 5.0);
  }
  EXPECT_MENTIONS(test::read_error(write("v.npy", npy(dict("<f8", "False", "(2, 3)"), doubles(6), '\4'))),
                  "version 4.0");
}

TEST_F(DataNpy, EveryTypeAndByteOrderIsRead) {
  const std::pair<const char*, ElementType> codes[] = {
      {"b1", ElementType::kU8},  {"u1", ElementType::kU8},  {"u2", ElementType::kU16}, {"u4", ElementType::kU32},
      {"u8", ElementType::kU64}, {"i1", ElementType::kI8},  {"i2", ElementType::kI16}, {"i4", ElementType::kI32},
      {"i8", ElementType::kI64}, {"f2", ElementType::kF16}, {"f4", ElementType::kF32}, {"f8", ElementType::kF64}};
  for (const auto& [code, type] : codes) {
    for (const char order : {'<', '>', '|', '='}) {
      const bool swapped = order == '>';
      std::string data;
      for (const double value : {1.0, 0.0, 1.0, 100.0}) data += test::element_bytes(type, value, swapped);
      const Array array = read_array(write("t.npy", npy(dict(order + std::string(code), "False", "(2, 2)"), data)));
      EXPECT_EQ(array.type, type);
      EXPECT_EQ(to_matrix(array)(0, 1), 0.0) << order << code;
      EXPECT_EQ(to_matrix(array)(1, 1), 100.0) << order << code;
    }
  }
}

TEST_F(DataNpy, FortranOrderAndOneDimensionAreRead) {
  const Array fortran = read_array(write("f.npy", npy(dict("<f8", "True", "(2, 3)"), doubles(6))));
  EXPECT_EQ(to_matrix(fortran)(1, 0), 1.0);
  EXPECT_EQ(to_matrix(fortran)(0, 1), 2.0);
  const Array vector = read_array(write("v.npy", npy(dict("<f8", "False", "(5,)"), doubles(5))));
  EXPECT_EQ(vector.rows(), 5);
  EXPECT_EQ(vector.columns(), 1);
  EXPECT_EQ(to_matrix(read_array(test::fixture("big_endian_fortran.npy"))), test::known_matrix());
}

TEST_F(DataNpy, KeysMayComeInAnyOrder) {
  const std::string text = R"({"shape":(2L,1L),"fortran_order":False,"descr":"f8"}   )";
  EXPECT_EQ(to_matrix(read_array(write("k.npy", npy(text, doubles(2)))))(1, 0), 1.0);
  EXPECT_MENTIONS(test::read_error(write("m.npy", npy(text, doubles(2) + "more"))),
                  "continues after the 16 bytes that its header promises");
}

TEST_F(DataNpy, TheFileIsMappedNotCopied) {
  write_matrix(path("m.npy"), test::known_matrix());
  const Array array = read_array(path("m.npy"));
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t header = test::slurp(path("m.npy")).size() - 12 * sizeof(double);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data) % page, header);
}

TEST_F(DataNpy, OtherDtypesAreRefusedByName) {
  for (const std::string descr : {"|O", "<c32", "<U5", "|S3", "<M8[ns]", "<f16", "<f3", "<i8x", "V8", "", "<", "f"}) {
    const std::string message = test::read_error(write("d.npy", npy(dict(descr, "False", "(1, 1)"), doubles(9))));
    EXPECT_MENTIONS(message, "dtype \"" + descr + "\"");
  }
  const std::string structured = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }";
  EXPECT_MENTIONS(test::read_error(write("s.npy", npy(structured, doubles(9)))), "structured dtype");
}

TEST_F(DataNpy, HostileHeadersAreRefused) {
  const std::string bad[] = {"",
                             "{}",
                             "{",
                             "{'descr': '<f8'}",
                             "[1]",
                             dict("<f8", "Maybe", "(1,)"),
                             dict("<f8", "False", "(1)"),
                             dict("<f8", "False", "1"),
                             dict("<f8", "False", "(1 1)"),
                             dict("<f8", "False", "(-1, 2)"),
                             dict("<f8", "False", "(1.5,)"),
                             dict("<f8", "False", "(99999999999999999999,)"),
                             dict("<f8", "False", "(,)"),
                             dict("<f8", "False", "(1, 2"),
                             dict("<f8", "False", "(4294967296, 4294967296)"),
                             dict("<f8", "False", "(0, 4294967296, 4294967296)"),
                             dict("<f8", "False", "(9223372036854775807,)"),
                             dict("<f8", "False", "(1152921504606846976, 16)"),
                             dict("<f8", "False", "(2, 2)") + "x",
                             "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
                             "{'descr': '<f8",
                             "{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (1,), }",
                             std::string(200, '('),
                             std::string(200, '{')};
  for (const std::string& text : bad) {
    EXPECT_MENTIONS(test::read_error(write("h.npy", npy(text, doubles(4)))), "h.npy: ");
  }
  EXPECT_MENTIONS(test::read_error(write("n.npy", "not an npy file")), "isn't an .npy file");
  EXPECT_MENTIONS(test::read_error(write("l.npy", "\x93NUMPY\2" + std::string(1, '\0') + "\xFF\xFF\xFF\xFF" + "{")),
                  "header of 4294967295");
}

TEST_F(DataNpy, MissingDataAreCounted) {
  const std::string message = test::read_error(write("t.npy", npy(dict("<f8", "False", "(10, 10)"), doubles(80))));
  EXPECT_MENTIONS(message, "truncated: header promises 800 bytes of data, 640 are there");
}

TEST_F(DataNpy, TruncationAtEveryByteIsAnError) {
  write_matrix(path("whole.npy"), test::known_matrix());
  const std::string whole = test::slurp(path("whole.npy"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_MENTIONS(test::read_error(write("cut.npy", whole.substr(0, size))), "cut.npy: ");
  }
}

TEST_F(DataNpy, AStreamIsReadUpToItsArray) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Index rows = 50000;  // more than the capacity of a pipe
  std::thread writer([&] {
    const std::string bytes = npy(dict("<f8", "False", "(50000, 3)"), doubles(3 * rows));
    for (std::size_t at = 0; at < bytes.size();)
      at += static_cast<std::size_t>(::write(ends[1], bytes.data() + at, bytes.size() - at));
    close(ends[1]);
  });
  const Array array = read_array(ends[0], "standard input");
  writer.join();
  close(ends[0]);
  EXPECT_EQ(to_matrix(array)(rows - 1, 2), static_cast<double>(3 * rows - 1));
}

TEST_F(DataNpy, ATruncatedStreamIsAnErrorAtEveryByte) {
  const std::string whole = npy(dict("<f8", "False", "(2, 2)"), doubles(4));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], whole.data(), size), static_cast<ssize_t>(size));
    close(ends[1]);
    EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(read_array(ends[0], "standard input")); }),
                    "standard input: ");
    close(ends[0]);
  }
}

TEST_F(DataNpy, AStreamWithAHeaderOfNothingIsAnError) {
  for (const char length : {'\0', '\1'}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const std::string bytes = std::string("\x93NUMPY\1\0", 8) + length + '\0' + std::string(1000, 'x');
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(ends[1]);
    EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(read_array(ends[0], "standard input")); }),
                    "standard input: ");
    close(ends[0]);
  }
}

TEST_F(DataNpy, AWrittenHeaderIsPaddedTo64) {
  const Index shape[] = {3, 4};
  const std::string header = formats::npy_header_text("f8", shape);
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.back(), '\n');
  const auto parsed = formats::parse_npy_header(std::as_bytes(std::span(header)), "header");
  EXPECT_EQ(parsed.data_offset, header.size());
  EXPECT_EQ(parsed.shape, (std::vector<Index>{3, 4}));
}

}  // namespace
}  // namespace orthodict
