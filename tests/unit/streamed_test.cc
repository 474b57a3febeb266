// SPDX-License-Identifier: Apache-2.0
// Files that are read when they are used give the same results as mapped files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "files.h"
#include "files/input_file.h"
#include "files/large/streamed_samples.h"
#include "files/mapped_file.h"
#include "formats/idx.h"
#include "formats/npy.h"
#include "memory/allocation.h"
#include "memory/limits.h"
#include "orthodict/io.h"
#include "random/stream.h"

namespace orthodict {
namespace {

class StreamedFile : public test::FolderTest {
 protected:
  // `count` random bytes that contain no NaN or infinity in any type.
  static std::string random_bytes(Index count) {
    const random::Stream stream(1, random::Purpose::kNoise);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    for (Index i = 0; i < count; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(stream.bits(i, 0) % 63);
    return bytes;
  }

  [[nodiscard]] std::string write_npy(const std::string& type, Index samples, Index dimension) const {
    const Index shape[] = {samples, dimension};
    const Index size = type.back() - '0';
    return write("a.npy", formats::npy_header_text(type, shape) + random_bytes(samples * dimension * size));
  }
  [[nodiscard]] static std::unique_ptr<Samples> stream(const std::string& path) {
    files::InputFile file(path);
    const auto located = formats::locate_npy(file);
    return files::stream_samples(std::move(file), located, located.array.columns(), located.array.rows());
  }
};

template <typename Scalar>
void expect_same_block(const Samples& one, const Samples& other, Index first, Index count) {
  const auto n = static_cast<std::size_t>(one.dimension());
  std::vector<Scalar> a(n * static_cast<std::size_t>(count));
  std::vector<Scalar> b(a.size());
  const Block<Scalar> of_one = one.block(first, count, a.data());
  const Block<Scalar> of_other = other.block(first, count, b.data());
  for (Index j = 0; j < count; ++j) {
    ASSERT_EQ(0, std::memcmp(of_one.data + j * of_one.stride, of_other.data + j * of_other.stride, n * sizeof(Scalar)))
        << "sample " << first + j;
  }
}

void expect_same(const Samples& one, const Samples& other) {
  ASSERT_EQ(one.dimension(), other.dimension());
  ASSERT_EQ(one.size(), other.size());
  EXPECT_EQ(one.name(), other.name());
  EXPECT_EQ(one.fits_f32(), other.fits_f32());
  EXPECT_EQ(one.sample_shape(), other.sample_shape());
  const std::pair<Index, Index> ranges[] = {{0, 1}, {one.size() - 1, 1}, {0, one.size()}, {3, 5}};
  for (const auto& [first, count] : ranges) {
    expect_same_block<float>(one, other, first, count);
    expect_same_block<double>(one, other, first, count);
  }
}

TEST_F(StreamedFile, GivesWhatAMappedOneGivesForEveryType) {
  for (const char* type : {"u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"}) {
    SCOPED_TRACE(type);
    const std::string path = write_npy(type, 100, 37);
    expect_same(*stream(path), *read_samples(path));
  }
}

TEST_F(StreamedFile, IsReadInOrderThroughManyWindows) {
  const std::string path = write_npy("f4", 50'000, 50);  // 10 MB
  const auto streamed = stream(path);
  const auto mapped = read_samples(path);
  for (int pass = 0; pass < 2; ++pass) {
    for (Index first = 0; first < mapped->size(); first += 500)
      expect_same_block<float>(*streamed, *mapped, first, 500);
  }
}

// The number of the file's bytes in the page cache.
std::size_t cached_bytes(const std::string& path) {
  const files::MappedFile file(path);  // doesn't touch its pages, which would load them
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(file.bytes().size() / page + 1);
  EXPECT_EQ(mincore(const_cast<std::byte*>(file.bytes().data()), file.bytes().size(), pages.data()), 0);
  return page * static_cast<std::size_t>(std::count_if(pages.begin(), pages.end(), [](int p) { return p % 2 != 0; }));
}

// Whether the system can drop a newly written file from the cache, which file systems in memory can't.
bool forgets(const std::string& path) {
  const files::InputFile file(path);
  return fsync(file.get()) == 0 && posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED) == 0 && cached_bytes(path) == 0;
}

TEST_F(StreamedFile, IsForgottenBehindBlocksOfAnySize) {
  constexpr Index kSamples = 30'000;
  const Index shape[] = {kSamples, 250};
  const std::string path = write("a.npy", formats::npy_header_text("f4", shape) + std::string(kSamples * 1000, '\0'));
  if (!forgets(path)) GTEST_SKIP() << path << " is in a file system whose pages aren't forgotten";
  for (const Index block : {100, 1000, 3000, 10'000}) {  // 10 MB at most, of 30
    const auto streamed = stream(path);
    std::vector<float> scratch(static_cast<std::size_t>(block) * 250);
    for (Index first = 0; first < kSamples; first += block) {
      static_cast<void>(streamed->block(first, block, scratch.data()));
    }
    EXPECT_LE(cached_bytes(path), std::size_t{1} << 20) << block;  // at most one window, which may not be dropped yet
  }
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

TEST_F(StreamedFile, TakesOneDescriptor) {
  const std::string path = write_npy("f4", 100, 10);
  const auto mapped = read_samples(path);
  const auto before = open_descriptors();
  const auto streamed = stream(path);
  expect_same(*streamed, *mapped);
  EXPECT_EQ(open_descriptors(), before + 1);
}

TEST_F(StreamedFile, MayBeIdxWhoseBytesAreSwapped) {
  std::string header{"\0\0\x0D\3", 4};
  for (const char extent : {'\x32', '\x04', '\x06'}) header += {'\0', '\0', '\0', extent};
  const std::string path = write("a.idx", header + random_bytes(50 * 4 * 6 * 4));
  files::InputFile file(path);
  const auto located = formats::locate_idx(file);
  expect_same(*files::stream_samples(std::move(file), located, 24, 50), *read_samples(path));
}

TEST_F(StreamedFile, ThatIsCutOffIsAnError) {
  const std::string path = write_npy("f8", 100'000, 10);
  const auto streamed = stream(path);
  std::vector<double> scratch(10 * 100);
  std::filesystem::resize_file(path, 100'000 * 10 * 8 / 2);
  static_cast<void>(streamed->block(0, 100, scratch.data()));
  for (const Index count : {1, 100}) {
    const auto refusal = test::message_of([&] { static_cast<void>(streamed->block(90'000, count, scratch.data())); });
    EXPECT_MENTIONS(refusal, path + ": was truncated while it was read");
  }
}

TEST_F(StreamedFile, HasAHeaderThatIsChecked) {
  const std::string whole = test::slurp(write_npy("f8", 100, 10));
  for (const std::size_t size : {std::size_t{1}, std::size_t{11}, std::size_t{60}, whole.size() - 1}) {
    const std::string path = write("cut.npy", whole.substr(0, size));
    test::message_of([&] { static_cast<void>(stream(path)); });
  }
}

TEST(MemoryLimit, IsSomething) { EXPECT_GT(memory::memory_limit(), std::size_t{1} << 24); }

class ControlGroups : public test::FolderTest {
 protected:
  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] std::size_t limit() const { return memory::limit_of_control_groups(path("")); }
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
};

TEST_F(ControlGroups, OfVersion2LimitWhatIsWithinThem) {
  EXPECT_EQ(limit(), kNone);
  put("proc/self/cgroup", "0::/outer/inner\n");
  EXPECT_EQ(limit(), kNone);  // a control group that doesn't exist
  put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  EXPECT_EQ(limit(), kNone);
  put("sys/fs/cgroup/outer/memory.max", "5000000\n");
  EXPECT_EQ(limit(), 5'000'000U);
  put("sys/fs/cgroup/outer/inner/memory.max", "3000000\n");
  EXPECT_EQ(limit(), 3'000'000U);
  put("sys/fs/cgroup/memory.max", "2000000\n");
  EXPECT_EQ(limit(), 2'000'000U);
}

TEST_F(ControlGroups, OfVersion1LimitWhatIsWithinThem) {
  put("proc/self/cgroup", "12:cpu,cpuacct:/other\n11:memory:/job\n1:name=systemd:/x\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), 9'223'372'036'854'771'712U);
  put("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "7000000\n");
  EXPECT_EQ(limit(), 7'000'000U);
}

// Several small files can be large together.
TEST(MemoryLimit, CountsWhatIsMapped) {
  const std::size_t most = memory::room_for_data() / 3 * 2;
  EXPECT_FALSE(memory::is_large(most));
  {
    const memory::CountedBytes mapped(most);
    EXPECT_TRUE(memory::is_large(most));
    EXPECT_FALSE(memory::is_large(most / 10));
  }
  EXPECT_FALSE(memory::is_large(most));
}

TEST(MemoryLimit, CountsWhatIsAllocated) {
  const std::size_t room = memory::room_for_data();
  EXPECT_FALSE(memory::is_large(room));
  auto taken = memory::allocate("x", 1000);
  EXPECT_FALSE(memory::is_large(room - 1000));
  EXPECT_TRUE(memory::is_large(room - 999));
  auto also = taken;
  taken.reset();
  EXPECT_TRUE(memory::is_large(room));
  also.reset();
  EXPECT_FALSE(memory::is_large(room));
}

TEST(MemoryLimit, LeavesRoomForTheWork) {
  EXPECT_LE(memory::room_for_data(), memory::memory_limit() / 2 - (std::size_t{1} << 27));
  EXPECT_GE(memory::room_for_data(), memory::memory_limit() / 4);
}

// Touched memory counts, shared too; a sanitizer takes more beside it.
TEST(MemoryLimit, LeavesWhatIsntTaken) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const std::size_t before = memory::memory_left();
  EXPECT_LT(before, memory::memory_limit());
  EXPECT_GT(before, 8 * kBytes);
  const std::vector<char> taken(kBytes, 1);
  const std::size_t with_vector = memory::memory_left();
  EXPECT_LE(with_vector, before - kBytes / 8 * 7);
  void* const shared = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  std::memset(shared, 1, kBytes);
  const std::size_t with_both = memory::memory_left();
  EXPECT_LE(with_both, with_vector - kBytes / 8 * 7);
  munmap(shared, kBytes);
  memory::require_memory_left("x", with_both / 2);
  EXPECT_MENTIONS(test::message_of([&] { memory::require_memory_left("x", before + kBytes); }), "x: needs ");
}

TEST(MemoryLimit, NothingIsNeverLarge) {
  const memory::CountedBytes mapped(memory::memory_limit());
  EXPECT_FALSE(memory::is_large(0));
  EXPECT_TRUE(memory::is_large(1));
}

}  // namespace
}  // namespace orthodict
