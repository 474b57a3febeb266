// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <zlib.h>

#include "files.h"

namespace orthodict {
namespace {

using DataIdx = test::FolderTest;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string idx(char type, const std::vector<std::uint32_t>& shape, const std::string& data) {
  std::string bytes{'\0', '\0', type, static_cast<char>(shape.size())};
  for (const std::uint32_t extent : shape) bytes += big_endian(extent);
  return bytes + data;
}

void write_gzip(const std::string& path, const std::string& contents) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, contents.data(), static_cast<unsigned>(contents.size())), static_cast<int>(contents.size()));
  gzclose(file);
}

TEST_F(DataIdx, EveryTypeIsReadPlainAndCompressed) {
  const std::pair<char, ElementType> types[] = {{'\x08', ElementType::kU8},  {'\x09', ElementType::kI8},
                                                {'\x0B', ElementType::kI16}, {'\x0C', ElementType::kI32},
                                                {'\x0D', ElementType::kF32}, {'\x0E', ElementType::kF64}};
  for (const auto& [code, type] : types) {
    std::string data;
    for (int i = 0; i < 6; ++i) data += test::element_bytes(type, i, true);
    const std::string bytes = idx(code, {2, 3}, data);
    const Array plain = read_array(write("a.idx", bytes));
    EXPECT_EQ(plain.type, type);
    EXPECT_EQ(to_matrix(plain), (RowMatrix<double>{{0, 1, 2}, {3, 4, 5}}));
    write_gzip(path("a-ubyte.gz"), bytes);
    EXPECT_EQ(to_matrix(read_array(path("a-ubyte.gz"))), to_matrix(plain));
  }
  EXPECT_EQ(to_matrix(read_array(test::fixture("stack.idx.gz"))), test::known_stack());
}

TEST_F(DataIdx, HostileHeadersAreRefused) {
  EXPECT_MENTIONS(test::read_error(write("t.idx", idx('\x0A', {1}, "a"))), "magic number 00 00 0a 01");
  EXPECT_MENTIONS(test::read_error(write("d.idx", idx('\x08', {}, "a"))), "magic number 00 00 08 00");
  EXPECT_MENTIONS(test::read_error(write("h.idx", idx('\x0E', {~0U, ~0U, ~0U}, "abc"))), "exceeds the address space");
  EXPECT_MENTIONS(test::read_error(write("s.idx", idx('\x08', {~0U, ~0U >> 1}, "abc"))), "truncated");
  write_gzip(path("h.idx.gz"), idx('\x08', {1U << 30, 1U << 10}, "abc"));
  EXPECT_MENTIONS(test::read_error(path("h.idx.gz")), "truncated");
  write_gzip(path("f.idx.gz"), idx('\x08', {100}, "abc"));
  EXPECT_MENTIONS(test::read_error(path("f.idx.gz")), "3 bytes are there");
  write_gzip(path("n.idx.gz"), "no idx at all");
  EXPECT_MENTIONS(test::read_error(path("n.idx.gz")), "isn't IDX");
}

TEST_F(DataIdx, TruncationAtEveryByteIsAnError) {
  const std::string plain = idx('\x08', {2, 3}, "abcdef");
  for (std::size_t size = 0; size < plain.size(); ++size) {
    EXPECT_MENTIONS(test::read_error(write("cut.idx", plain.substr(0, size))), "cut.idx: ");
  }
  const std::string compressed = test::slurp(test::fixture("stack.idx.gz"));
  for (std::size_t size = 0; size < compressed.size(); ++size) {
    EXPECT_MENTIONS(test::read_error(write("cut.idx.gz", compressed.substr(0, size))), "cut.idx.gz: ") << size;
  }
}

TEST_F(DataIdx, ADamagedChecksumIsFound) {
  std::string bytes = test::slurp(test::fixture("stack.idx.gz"));
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  EXPECT_MENTIONS(test::read_error(write("crc.idx.gz", bytes)), "damaged gzip");
}

}  // namespace
}  // namespace orthodict
