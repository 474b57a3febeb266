// SPDX-License-Identifier: Apache-2.0
// What is read ahead is what the file has, whoever asks for which part when.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "data/read_ahead.h"
#include "data/uncached_file.h"
#include "data_files.h"
#include "random/stream.h"

namespace orthodict {
namespace {

using data::ReadAhead;
using data::UncachedFile;

constexpr std::size_t kWindow = ReadAhead::kWindow;

// Eight bytes that tell where they are.
std::string numbered(std::size_t bytes) {
  std::vector<std::uint64_t> numbers(bytes / 8);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
  return {reinterpret_cast<const char*>(numbers.data()), bytes};
}

class ReadAheadTest : public test::FolderTest {
 protected:
  [[nodiscard]] static UncachedFile open(const std::string& path, std::size_t begin = 0,
                                         UncachedFile::Bypass bypass = UncachedFile::Bypass::kIfPossible) {
    data::InputFile file(path);
    const std::size_t size = file.size();
    return {std::move(file), {.begin = begin, .end = size}, bypass};
  }
};

void expect_right(ReadAhead& ahead, const UncachedFile& file, const std::string& text, std::size_t offset,
                  std::size_t count) {
  std::vector<std::byte> got(count);
  ahead.read(file, offset, got);
  ASSERT_EQ(0, std::memcmp(got.data(), text.data() + offset, count)) << "bytes from " << offset << " on";
}

TEST_F(ReadAheadTest, UncachedFilesAreReadInGrains) {
  constexpr std::size_t kGrain = UncachedFile::kGrain;
  const std::string text = numbered(5 * kGrain + 1000);
  const std::string path = write("a", text);
  const auto bytes = data::allocate_aligned(8 * kGrain);
  for (const auto bypass : {UncachedFile::Bypass::kIfPossible, UncachedFile::Bypass::kNever}) {
    const UncachedFile file = open(path, 0, bypass);
    EXPECT_TRUE(bypass == UncachedFile::Bypass::kIfPossible || !file.bypasses_cache());
    for (const std::size_t first : {0, 3, 5, 6}) {
      std::fill_n(bytes.get(), 8 * kGrain, std::byte{0});
      file.read(first * kGrain, {bytes.get(), 8 * kGrain});
      const std::string expected = first * kGrain < text.size() ? text.substr(first * kGrain) : "";
      EXPECT_EQ(0, std::memcmp(bytes.get(), expected.data(), expected.size())) << first;
    }
  }
}

// Some file systems take O_DIRECT for what they can't do; here an address that isn't aligned makes any of them refuse.
TEST_F(ReadAheadTest, WhereTheCacheCantBeBypassedItIsUsed) {
  const std::string text = numbered(10'000);
  const UncachedFile file = open(write("a", text));
  std::vector<std::byte> bytes(UncachedFile::kGrain + 1);
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % 2 == 0;
  std::byte* odd = bytes.data() + (aligned ? 1 : 0);
  file.read(0, {odd, UncachedFile::kGrain});
  EXPECT_FALSE(file.bypasses_cache());
  EXPECT_EQ(0, std::memcmp(odd, text.data(), UncachedFile::kGrain));
}

TEST_F(ReadAheadTest, BlocksOfAnySizeAreWhatTheFileHas) {
  const std::string text = numbered(7 * kWindow + 88);
  const UncachedFile file = open(write("a", text), 128);
  ReadAhead ahead(5, 2);
  for (const std::size_t block : {std::size_t{5000}, kWindow, 2 * kWindow + 100, 7 * kWindow - 40}) {
    for (std::size_t at = 128; at < text.size(); at += block) {
      expect_right(ahead, file, text, at, std::min(block, text.size() - at));
    }
  }
}

// More threads than windows, that go their own ways: each window is claimed for another one again and again.
TEST_F(ReadAheadTest, ThreadsMayBeMoreThanWindows) {
  const std::string text = numbered(20 * kWindow);
  const std::string path = write("a", text);
  for (const int readers : {0, 1, 4}) {
    const UncachedFile one = open(path);
    const UncachedFile other = open(path);
    ReadAhead ahead(3, readers);
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        const random::Stream stream(t, random::Purpose::kNoise);
        std::vector<std::byte> got(100'000);
        for (int i = 0; i < 150; ++i) {
          const std::size_t at = stream.bits(i, 0) % (text.size() - got.size());
          ahead.read(t % 2 == 0 ? one : other, at, got);
          if (std::memcmp(got.data(), text.data() + at, got.size()) != 0) ++wrong;
        }
      });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0) << readers;
    ahead.forget(one);
    ahead.forget(other);
  }
}

// Bytes that this process has had read for it, from files, since the system counts them.
std::size_t bytes_read() {
  std::ifstream io("/proc/self/io");
  for (std::string line; std::getline(io, line);) {
    if (line.starts_with("rchar: ")) return std::stoull(line.substr(7));
  }
  return 0;
}

// Lanes begin within windows, and threads are at several of them: a window stays until all of it was asked for.
TEST_F(ReadAheadTest, EveryByteIsReadOncePerPass) {
  const std::string text = numbered(40 * kWindow);
  const UncachedFile file = open(write("a", text), 64);
  ReadAhead ahead(16, 2);
  std::vector<std::byte> got(50'000);
  const std::size_t lane = 5 * got.size() * 11;
  const std::size_t before = bytes_read();
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t pair = 64; pair < text.size(); pair += 2 * lane) {
      for (std::size_t at = 0; at < lane; at += got.size()) {  // two lanes, turn and turn about, the second one first
        for (const std::size_t start : {pair + lane + at, pair + at}) {
          if (start >= text.size()) continue;
          ahead.read(file, start, std::span(got).first(std::min(got.size(), text.size() - start)));
        }
      }
    }
  }
  EXPECT_LE(bytes_read() - before, 2 * text.size() + 2 * kWindow);
  EXPECT_GE(bytes_read() - before, 2 * text.size() - 16 * kWindow);
}

// What a stopped pass leaves isn't in the way of later ones.
TEST_F(ReadAheadTest, WindowsThatWereLeftAreTakenAgain) {
  const std::string text = numbered(30 * kWindow);
  const std::string path = write("a", text);
  const UncachedFile left = open(path);
  const UncachedFile file = open(path);
  ReadAhead ahead(6, 1);
  for (std::size_t window = 0; window < 30; window += 7) expect_right(ahead, left, text, window * kWindow + 5, 1000);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t at = 0; at < text.size(); at += kWindow / 2) expect_right(ahead, file, text, at, kWindow / 2);
  }
  std::size_t ready = 0;
  for (int i = 0; i < 200 && ready < 4; ++i) {
    expect_right(ahead, file, text, 0, 8);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ready = ahead.windows_of(file) - 1;
  }
  EXPECT_GE(ready, 4U) << "the four windows ahead have room";
}

TEST_F(ReadAheadTest, AFileThatIsCutOffIsAnErrorForWhoeverComesThere) {
  const std::string text = numbered(6 * kWindow);
  const std::string path = write("a", text);
  const UncachedFile file = open(path);
  ReadAhead ahead(3, 2);
  std::filesystem::resize_file(path, 4 * kWindow + 10'000);
  expect_right(ahead, file, text, 0, 4 * kWindow);
  std::vector<std::byte> got(1000);
  for (int i = 0; i < 3; ++i) {
    const auto refusal = test::message_of([&] { ahead.read(file, 4 * kWindow + 20'000, got); });
    EXPECT_MENTIONS(refusal, path + ": was cut off while it was read");
  }
  expect_right(ahead, file, text, kWindow, 1000);
}

TEST_F(ReadAheadTest, AForgottenFileLeavesNothing) {
  const std::string path = write("a", numbered(20 * kWindow));
  const std::string other_text(20 * kWindow, 'x');
  const std::string other_path = write("b", other_text);
  ReadAhead ahead(8, 4);
  for (int i = 0; i < 20; ++i) {
    std::optional<UncachedFile> file(std::in_place, data::InputFile(i % 2 == 0 ? path : other_path),
                                     data::ByteRange{0, 20 * kWindow});
    if (i % 2 == 1) expect_right(ahead, *file, other_text, 0, 1000);
    std::vector<std::byte> got(10);
    ahead.read(*file, static_cast<std::size_t>(i) * kWindow / 2, got);
    ahead.forget(*file);
    EXPECT_EQ(ahead.windows_of(*file), 0U);
  }
}

TEST_F(ReadAheadTest, IsOneForAllFilesAndGoneWithTheLast) {
  auto one = ReadAhead::shared();
  const std::weak_ptr<ReadAhead> kept = one;
  EXPECT_EQ(ReadAhead::shared(), one);
  one.reset();
  EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace orthodict
