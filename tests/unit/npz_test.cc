// SPDX-License-Identifier: Apache-2.0
#include "formats/npz.h"

#include <gtest/gtest.h>

#include "files.h"

namespace orthodict {
namespace {

using DataNpz = test::FolderTest;

std::string small_archive() {
  formats::NpzBuilder builder;
  builder.add("X", test::known_matrix());
  builder.add("v", Vector<double>{{1.0, 2.0, 3.0}});
  const float floats[] = {0.5F, -1.0F};
  const std::int32_t ints[] = {7, -8};
  const std::int64_t longs[] = {std::int64_t{1} << 40};
  builder.add("f", std::span<const float>(floats));
  builder.add("i", std::span<const std::int32_t>(ints));
  builder.add("l", std::span<const std::int64_t>(longs));
  builder.add_text("t", "grüße 漢字 🙂");
  builder.add_text("none", "");
  builder.add_bytes("b", "csr");
  return builder.finish();
}

TEST_F(DataNpz, WhatIsBuiltReadsBack) {
  const formats::NpzFile file(write("a.npz", small_archive()));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"X", "v", "f", "i", "l", "t", "none", "b"}));
  EXPECT_TRUE(file.contains("v"));
  EXPECT_FALSE(file.contains("w"));
  EXPECT_EQ(to_matrix(file.array("X")), test::known_matrix());
  EXPECT_EQ(file.array("v").shape, (std::vector<Index>{3}));
  EXPECT_EQ(to_matrix(file.array("f"))(1, 0), -1.0);
  EXPECT_EQ(file.array("i").type, ElementType::kI32);
  EXPECT_EQ(to_matrix(file.array("i"))(1, 0), -8.0);
  EXPECT_EQ(to_matrix(file.array("l"))(0, 0), std::ldexp(1.0, 40));
  EXPECT_EQ(file.text("t"), "grüße 漢字 🙂");
  EXPECT_EQ(file.text("none"), "");
  EXPECT_EQ(file.text("b"), "csr");
}

TEST_F(DataNpz, EqualContentsGiveEqualBytesInAnyTimeZone) {
  const std::string here = small_archive();
  const char* old = getenv("TZ");
  const std::string saved = old != nullptr ? old : "";
  for (const char* zone : {"UTC", "Asia/Tokyo", "America/Los_Angeles", "XYZ-14", "XYZ+12"}) {
    setenv("TZ", zone, 1);
    tzset();
    EXPECT_EQ(small_archive(), here) << zone;
  }
  old != nullptr ? setenv("TZ", saved.c_str(), 1) : unsetenv("TZ");
  tzset();
}

TEST_F(DataNpz, WhatNumpyDeflatesIsRead) {
  const formats::NpzFile file(test::fixture("deflated.npz"));
  EXPECT_EQ(to_matrix(file.array("X")), test::known_matrix());
  EXPECT_EQ(to_matrix(file.array("stack")), test::known_stack());
  EXPECT_EQ(file.text("note"), "grüße");
  EXPECT_EQ(file.text("mark"), "csr");
}

TEST_F(DataNpz, ErrorsNameWhatIsThere) {
  const std::string path = write("a.npz", small_archive());
  const formats::NpzFile file(path);
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(file.array("nix")); }), "it has: X, v, f, i, l, t, none, b");
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(file.array("t")); }), "a.npz:t: dtype \"<U");
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(file.text("X")); }), "need one text");
  EXPECT_MENTIONS(test::read_error(path), "several arrays");
  EXPECT_EQ(to_matrix(read_array(path + ":X")), test::known_matrix());
  EXPECT_MENTIONS(test::read_error(write("e.npz", "PK\5\6" + std::string(18, '\0'))), "has no arrays");
  EXPECT_MENTIONS(test::message_of([] { formats::NpzBuilder().add_text("t", "\xFF"); }), "isn't UTF-8");
}

TEST_F(DataNpz, TheOnlyArrayNeedsNoName) {
  formats::NpzBuilder builder;
  builder.add("X", test::known_matrix());
  const Array array = read_array(write("one.npz", builder.finish()));
  EXPECT_EQ(to_matrix(array), test::known_matrix());
  EXPECT_MENTIONS(array.name, "one.npz:X");
}

TEST_F(DataNpz, TruncationAtEveryByteIsAnError) {
  for (const std::string& whole : {small_archive(), test::slurp(test::fixture("deflated.npz"))}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_MENTIONS(test::read_error(write("cut.npz", whole.substr(0, size)) + ":X"), "cut.npz");
    }
  }
}

// After any bit flip an array is reported as damaged or has the right values, because zip's checksum covers its bytes.
TEST_F(DataNpz, FlippedBitsNeverGiveWrongValues) {
  formats::NpzBuilder builder;
  builder.add("X", test::known_matrix());
  const std::string whole = builder.finish();
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 3) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    try {
      EXPECT_EQ(to_matrix(read_array(write("flip.npz", damaged) + ":X")), test::known_matrix()) << bit;
    } catch (const Error&) {
    }
  }
}

TEST_F(DataNpz, ImpossibleSizesAreRefusedBeforeMemoryIsAsked) {
  std::string bytes = test::slurp(test::fixture("deflated.npz"));
  const std::size_t entry = bytes.find("PK\1\2");
  ASSERT_NE(entry, std::string::npos);
  bytes.replace(entry + 24, 4, "\xFE\xFF\xFF\xFF");  // uncompressed size in the central directory
  EXPECT_MENTIONS(test::read_error(write("bomb.npz", bytes) + ":X"), "impossible");
}

TEST_F(DataNpz, EncryptionAndOtherMethodsAreRefused) {
  std::string bytes = small_archive();
  const std::size_t entry = bytes.find("PK\1\2");
  std::string encrypted = bytes;
  encrypted[entry + 8] = static_cast<char>(encrypted[entry + 8] | 1);
  EXPECT_MENTIONS(test::read_error(write("e.npz", encrypted) + ":X"), "encrypted");
  bytes[entry + 10] = 14;  // LZMA
  EXPECT_MENTIONS(test::read_error(write("m.npz", bytes) + ":X"), "method 14");
}

}  // namespace
}  // namespace orthodict
