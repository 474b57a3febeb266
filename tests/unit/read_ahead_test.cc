// SPDX-License-Identifier: Apache-2.0
// Reading ahead gives the bytes of the file for any access pattern of any threads, and reads little twice.
#include "files/large/read_ahead.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "files.h"
#include "files/large/large_file.h"
#include "random/stream.h"

namespace orthodict {
namespace {

using files::LargeFile;
using files::ReadAhead;
using files::WindowPool;

constexpr std::size_t kGrain = LargeFile::kGrain;
constexpr std::size_t kWindow = WindowPool::kWindowSize;

// Every eight bytes encode their offset.
std::string numbered(std::size_t bytes) {
  std::vector<std::uint64_t> numbers(bytes / 8);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
  return {reinterpret_cast<const char*>(numbers.data()), bytes};
}

class LargeFileTest : public test::FolderTest {};

TEST_F(LargeFileTest, IsReadInGrains) {
  const std::string text = numbered(5 * kGrain + 1000);
  const LargeFile file{files::InputFile(write("a", text))};
  const files::Pages pages(8 * kGrain);
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::size_t first : {0, 3, 5, 6}) {
      const std::string expected = first * kGrain < text.size() ? text.substr(first * kGrain) : "";
      for (const auto read : {&LargeFile::read_in_order, &LargeFile::read_at_random}) {
        std::fill_n(pages.data(), 8 * kGrain, std::byte{0});
        (file.*read)(first * kGrain, {pages.data(), 8 * kGrain});
        EXPECT_EQ(0, std::memcmp(pages.data(), expected.data(), expected.size())) << first;
      }
    }
  }
}

// Whether O_DIRECT works for memory that begins `shift` bytes after the start of a page.
bool system_bypasses(const std::string& path, std::size_t shift) {
  const files::FileDescriptor file(open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  const files::Pages pages(2 * kGrain);
  return file.get() >= 0 && pread(file.get(), pages.data() + shift, kGrain, 0) == kGrain;
}

TEST_F(LargeFileTest, IsReadPastTheCacheWhereThatCanBe) {
  const std::string path = write("a", numbered(10'000));
  const LargeFile file{files::InputFile(path)};
  const files::Pages pages(kGrain);
  file.read_in_order(0, {pages.data(), kGrain});
  EXPECT_EQ(file.can_bypass_cache(), system_bypasses(path, 0));
}

// Some file systems accept O_DIRECT and then fail to read; the test provokes this by an unaligned address.
TEST_F(LargeFileTest, IsReadThroughTheCacheWhereReadingIsRefused) {
  const std::string text = numbered(10'000);
  const std::string path = write("a", text);
  if (!system_bypasses(path, 0) || system_bypasses(path, 1)) GTEST_SKIP() << path << " isn't refused";
  const LargeFile file{files::InputFile(path)};
  const files::Pages pages(2 * kGrain);
  ASSERT_TRUE(file.can_bypass_cache());
  file.read_in_order(0, {pages.data() + 1, kGrain});
  EXPECT_FALSE(file.can_bypass_cache());
  EXPECT_EQ(0, std::memcmp(pages.data() + 1, text.data(), kGrain));
  file.read_at_random(kGrain, {pages.data() + 1, kGrain});
  EXPECT_EQ(0, std::memcmp(pages.data() + 1, text.data() + kGrain, kGrain));
}

// Both kinds of reads share a descriptor, and O_DIRECT is given up permanently, even while other threads are reading.
TEST_F(LargeFileTest, IsReadInBothOrdersAtOnceWhileReadingIsRefused) {
  const std::string text = numbered(64 * kGrain);
  const std::string path = write("a", text);
  for (int round = 0; round < 50; ++round) {
    const LargeFile file{files::InputFile(path)};
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const files::Pages pages(2 * kGrain);
        for (std::size_t i = 0; i < 64; ++i) {
          const std::size_t at = (i * (2 * t + 1)) % 64 * kGrain;
          std::byte* const to = pages.data() + (t == 3 && i > 20 ? 1 : 0);  // an address that may be refused
          const auto read = t % 2 == 0 ? &LargeFile::read_in_order : &LargeFile::read_at_random;
          (file.*read)(at, {to, kGrain});
          if (std::memcmp(to, text.data() + at, kGrain) != 0) ++wrong;
        }
      });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0);
  }
}

class ReadAheadTest : public test::FolderTest {
 protected:
  static std::shared_ptr<WindowPool> pool(std::size_t windows, int readers) {
    return std::make_shared<WindowPool>(windows, readers);
  }
  // A file with that text, of which the bytes from `begin` on are used.
  [[nodiscard]] std::unique_ptr<ReadAhead> open(const std::string& text, std::shared_ptr<WindowPool> pool,
                                                std::size_t begin = 0) {
    return std::make_unique<ReadAhead>(files::InputFile(write("a", text)), files::ByteRange{begin, text.size()},
                                       std::move(pool));
  }
};

bool is_right(ReadAhead& file, const std::string& text, std::size_t offset, std::size_t count,
              decltype(&ReadAhead::read_in_order) read = &ReadAhead::read_in_order) {
  std::vector<std::byte> got(count);
  (file.*read)(offset, got);
  return std::memcmp(got.data(), text.data() + offset, count) == 0;
}

// Waits until the condition is true, but not forever.
bool soon(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST_F(ReadAheadTest, BlocksOfAnySizeAreWhatTheFileHas) {
  const std::string text = numbered(7 * kWindow + 88);
  const auto file = open(text, pool(8, 2), 128);
  for (const std::size_t block : {std::size_t{5000}, kWindow, 2 * kWindow + 100, 7 * kWindow - 40}) {
    for (std::size_t at = 128; at < text.size(); at += block) {
      EXPECT_TRUE(is_right(*file, text, at, std::min(block, text.size() - at))) << block << " bytes at " << at;
    }
  }
}

TEST_F(ReadAheadTest, WindowsAheadAreFilledMeanwhile) {
  const std::string text = numbered(20 * kWindow);
  const auto file = open(text, pool(16, 1));
  EXPECT_TRUE(is_right(*file, text, 2 * kWindow, 100));
  EXPECT_TRUE(soon([&] { return file->filled_windows() == 5; })) << file->filled_windows();
  EXPECT_TRUE(is_right(*file, text, 3 * kWindow, 100));
  EXPECT_TRUE(soon([&] { return file->filled_windows() == 6; })) << file->filled_windows();
}

TEST_F(ReadAheadTest, SinglePlacesAreWhatTheFileHas) {
  const std::string text = numbered(2 * kWindow + 88);
  const auto file = open(text, pool(4, 1));
  for (const std::size_t count : {std::size_t{8}, kGrain, std::size_t{100'000}}) {
    for (std::size_t at = 0; at + count <= text.size(); at += 99'999) {
      ASSERT_TRUE(is_right(*file, text, at, count, &ReadAhead::read_at_random)) << count << " bytes at " << at;
    }
  }
  EXPECT_EQ(file->filled_windows(), 0U);
}

// The number of bytes that this process has read from the system. Skips the test if that isn't available.
std::optional<std::size_t> bytes_read() {
  std::ifstream io("/proc/self/io");
  for (std::string line; std::getline(io, line);) {
    if (line.starts_with("rchar: ")) return std::stoull(line.substr(7));
  }
  return std::nullopt;
}

// Reads [begin, text.size()) as a pass does: threads take lanes in order, and go through them block by block.
// The number of blocks that came out wrong.
int pass_over(ReadAhead& file, const std::string& text, std::size_t begin, int threads, std::size_t lane) {
  constexpr std::size_t kBlock = 50'000;
  std::atomic<std::size_t> next = begin;
  std::atomic<int> wrong = 0;
  const auto take_lanes = [&] {
    for (std::size_t first = next.fetch_add(lane); first < text.size(); first = next.fetch_add(lane)) {
      const std::size_t end = std::min(first + lane, text.size());
      for (std::size_t at = first; at < end; at += kBlock) {
        if (!is_right(file, text, at, std::min(kBlock, end - at))) ++wrong;
      }
    }
  };
  std::vector<std::jthread> team;
  for (int t = 0; t < threads; ++t) team.emplace_back(take_lanes);
  team.clear();
  return wrong;
}

struct Course {
  std::size_t windows;
  int readers;
  int threads;
  std::size_t lane;
  double most;  // limit on bytes read, as a multiple of the file's size
};

// A window that two lanes share is read once; so is a section that one thread has used up when another approaches it.
// Without free windows the blocks themselves are read, in grains: 12 to 14 grains for the 12.2 of a block.
TEST_F(ReadAheadTest, APassReadsLittleTwice) {
  const std::size_t begin = 128;
  const std::string text = numbered(48 * kWindow);
  const auto before_all = bytes_read();
  if (!before_all) GTEST_SKIP() << "the system doesn't tell how much is read";
  for (const Course& course :
       {Course{20, 4, 2, 2'750'000, 1.1}, Course{20, 4, 2, 800'000, 1.1}, Course{20, 4, 2, 20'000'000, 1.1},
        Course{20, 4, 1, 48 * kWindow, 1.01}, Course{20, 0, 2, 2'750'000, 1.1}, Course{8, 2, 16, 3'000'000, 1.5},
        Course{4, 2, 32, 1'000'000, 1.5}, Course{1, 1, 8, 5'000'000, 1.5}}) {
    SCOPED_TRACE(testing::Message() << course.windows << " windows, " << course.readers << " readers, "
                                    << course.threads << " threads, lanes of " << course.lane);
    const auto file = open(text, pool(course.windows, course.readers), begin);
    for (int pass = 0; pass < 2; ++pass) {
      const std::size_t before = *bytes_read();
      EXPECT_EQ(pass_over(*file, text, begin, course.threads, course.lane), 0);
      const double read = static_cast<double>(*bytes_read() - before) / static_cast<double>(text.size());
      EXPECT_LE(read, course.most);
      EXPECT_GE(read, 0.9) << "then it isn't counted";
      EXPECT_EQ(file->filled_windows(), 0U) << "all are used up";
    }
  }
}

// Two lanes alternate, the second one first: sections that one has used up aren't read ahead for the other.
TEST_F(ReadAheadTest, LanesThatShareWindowsReadThemOnce) {
  const std::size_t begin = 64;
  const std::string text = numbered(40 * kWindow + begin);
  const auto file = open(text, pool(16, 2), begin);
  constexpr std::size_t kBlock = 50'000;
  constexpr std::size_t kLane = 55 * kBlock;
  for (int pass = 0; pass < 2; ++pass) {
    const auto before = bytes_read();
    if (!before) GTEST_SKIP() << "the system doesn't tell how much is read";
    for (std::size_t pair = begin; pair < text.size(); pair += 2 * kLane) {
      for (std::size_t at = 0; at < kLane; at += kBlock) {
        for (const std::size_t start : {pair + kLane + at, pair + at}) {
          if (start >= text.size()) continue;
          EXPECT_TRUE(is_right(*file, text, start, std::min(kBlock, text.size() - start)));
        }
      }
    }
    EXPECT_EQ(file->filled_windows(), 0U) << "all are used up";
    EXPECT_LE(*bytes_read() - *before, text.size() + kWindow);
  }
  // Another pass is read ahead again.
  EXPECT_TRUE(is_right(*file, text, begin, 100));
  EXPECT_TRUE(soon([&] { return file->filled_windows() == 5; })) << file->filled_windows();
}

// Random access by several threads: windows are claimed for other sections and files again and again.
TEST_F(ReadAheadTest, AnyOrderGivesWhatTheFileHas) {
  const std::string text = numbered(20 * kWindow);
  for (const int readers : {0, 1, 4}) {
    const auto windows = pool(3, readers);
    const auto one = open(text, windows);
    const auto other = open(text, windows);
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        const random::Stream stream(t, random::Purpose::kNoise);
        for (int i = 0; i < 150; ++i) {
          const std::size_t count = 1 + stream.bits(i, 1) % 100'000;
          const std::size_t at = stream.bits(i, 0) % (text.size() - count);
          ReadAhead& file = t % 2 == 0 ? *one : *other;
          const auto read = i % 3 == 0 ? &ReadAhead::read_at_random : &ReadAhead::read_in_order;
          if (!is_right(file, text, at, count, read)) ++wrong;
        }
      });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0) << readers;
  }
}

// Windows that a stopped pass leaves are soon reused.
TEST_F(ReadAheadTest, WindowsThatWereLeftAreTakenAgain) {
  const std::string text = numbered(30 * kWindow);
  const auto windows = pool(8, 1);
  const auto left = open(text, windows);
  for (std::size_t i = 0; i < 30; i += 2) EXPECT_TRUE(is_right(*left, text, i * kWindow + 5, 1000));
  EXPECT_TRUE(soon([&] { return left->filled_windows() == 8; })) << left->filled_windows();
  const auto file = open(text, windows);
  std::size_t at = 0;
  EXPECT_TRUE(soon([&] {
    EXPECT_TRUE(is_right(*file, text, at, kWindow));
    at = (at + kWindow) % (25 * kWindow);
    return file->filled_windows() == 4;  // ahead
  }));
}

// The location of samples may come from a process that a malicious file has taken over.
TEST_F(ReadAheadTest, ARangeThatTheFileHasntIsRefused) {
  const std::string file = write("a", numbered(1000));
  for (const files::ByteRange range :
       {files::ByteRange{0, 1001}, files::ByteRange{2000, 3000}, files::ByteRange{500, 400}}) {
    const auto refusal = test::message_of([&] { const ReadAhead refused(files::InputFile(file), range, pool(1, 0)); });
    EXPECT_MENTIONS(refusal, file + ": has 1000 bytes, but its samples need bytes");
  }
  const ReadAhead whole(files::InputFile(file), {0, 1000}, pool(1, 0));
}

TEST_F(ReadAheadTest, AFileThatIsCutOffIsAnErrorForWhoeverComesThere) {
  const std::string text = numbered(6 * kWindow);
  for (const int readers : {0, 2}) {
    const auto file = open(text, pool(8, readers));
    std::filesystem::resize_file(path("a"), 4 * kWindow + 10'000);
    EXPECT_TRUE(is_right(*file, text, 0, 4 * kWindow));
    for (int i = 0; i < 3; ++i) {
      const auto refusal = test::message_of([&] { (void)is_right(*file, text, 4 * kWindow + 20'000, 1000); });
      EXPECT_MENTIONS(refusal, path("a") + ": was truncated while it was read");
    }
    EXPECT_TRUE(is_right(*file, text, kWindow, 1000));
  }
}

// The destructor waits for windows that are being filled, which are then used for another file.
TEST_F(ReadAheadTest, AFileMayGoAtAnyTime) {
  const std::string texts[] = {numbered(20 * kWindow), std::string(20 * kWindow, 'x')};
  const auto windows = pool(12, 4);
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string& text = texts[i % 2];
    EXPECT_TRUE(is_right(*open(text, windows), text, i / 2 % 19 * kWindow, kWindow / 2 * (i % 3 + 1) / 2));
  }
}

// A forked child has neither the windows nor the threads that fill them.
TEST_F(ReadAheadTest, AForkedChildReadsForItself) {
  const std::string text = numbered(30 * kWindow);
  const auto windows = WindowPool::shared();
  auto file = open(text, windows);
  EXPECT_TRUE(is_right(*file, text, 0, 100));  // more is being read now
  std::vector<std::byte> single(100);
  file->read_at_random(0, single);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    bool right = !windows->is_ours() && is_right(*file, text, 0, 3 * kWindow);
    file->read_at_random(8, single);
    right = right && std::memcmp(single.data(), text.data() + 8, single.size()) == 0;
    right = right && WindowPool::shared() != windows && WindowPool::shared()->is_ours();
    file.reset();
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is_right(*file, text, 0, 3 * kWindow));
}

TEST(WindowPoolTest, IsOneForAllFilesAndGoneWithTheLast) {
  auto one = WindowPool::shared();
  const std::weak_ptr<WindowPool> kept = one;
  EXPECT_EQ(WindowPool::shared(), one);
  one.reset();
  EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace orthodict
