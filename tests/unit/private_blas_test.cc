// SPDX-License-Identifier: Apache-2.0
// Work buffers of the OpenBLAS that is linked into the library.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <thread>
#include <vector>

#include "linalg/blas.h"
#include "linalg/buffer.h"

namespace orthodict::linalg {
namespace {

TEST(Buffers, AreThereForAsManyThreadsAsAsked) {
  EXPECT_EQ(prepare_buffers(3), 3);
  EXPECT_EQ(prepare_buffers(2), 2);
  EXPECT_EQ(prepare_buffers(1000), 120);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers need an unlimited address space
constexpr Index kSize = 300;

// Allocates before it begins.
class Product {
 public:
  void compute() {
    gemm(Op::kNone, Op::kNone, kSize, kSize, kSize, 1, a_.data(), kSize, a_.data(), kSize, 0, c_.data(), kSize);
  }

 private:
  Matrix<double> a_ = Matrix<double>::Zero(kSize, kSize);
  Matrix<double> c_ = a_;
};

// Limits the address space to its present size plus this many bytes.
void limit_addresses(rlim_t more) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
  const rlimit addresses{limit, limit};
  setrlimit(RLIMIT_AS, &addresses);
  alarm(20);  // in case of a deadlock
}

void take_all_memory() {
  for (std::size_t size = std::size_t{1} << 28; size >= 4096; size /= 2) {
    static void* volatile taken = nullptr;  // keeps compilers from removing malloc()
    do {
      taken = std::malloc(size);
    } while (taken != nullptr);
  }
}

// Memory for three buffers, which six threads share when no more can be allocated.
void share_buffers() {
  constexpr int kThreads = 6;
  static std::atomic<bool> begin = false;
  static std::atomic<int> ready = 0;
  std::vector<std::thread> team;
  for (int i = 0; i < kThreads; ++i) {
    team.emplace_back([] {
      Product product;
      ++ready;
      while (!begin) std::this_thread::yield();
      for (int j = 0; j < 50; ++j) product.compute();
    });
  }
  while (ready < kThreads) std::this_thread::yield();
  limit_addresses((rlim_t{3} << 27) + (rlim_t{1} << 26));
  const int count = prepare_buffers(kThreads);
  if (count < 1 || count >= kThreads) std::exit(1);
  take_all_memory();
  begin = true;
  for (std::thread& thread : team) thread.join();
  std::exit(0);
}

TEST(Buffers, AreSharedWhereThereIsNoRoomForMore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(share_buffers(), testing::ExitedWithCode(0), "");
}

void multiply_with_little_memory() {
  Product product;
  limit_addresses(rlim_t{100} << 20);
  try {
    product.compute();
    std::exit(1);
  } catch (const std::bad_alloc&) {
  }
  try {
    prepare_buffers(1);
    std::exit(2);
  } catch (const std::bad_alloc&) {
  }
  std::exit(0);
}

TEST(Buffers, AreAnErrorWhereThereIsNoRoomForOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply_with_little_memory(), testing::ExitedWithCode(0), "");
}

// There is room for one.
void multiply_within() {
  Product product;
  limit_addresses(rlim_t{200} << 20);
  const Buffer outer;
  const Buffer inner;
  product.compute();
  std::exit(0);
}

TEST(Buffers, WithinAnotherAreTheSame) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply_within(), testing::ExitedWithCode(0), "");
}

// The child has no buffer, because the only one is in use by a thread of the parent, and no memory for another.
void fork_while_a_thread_has_the_buffer() {
  std::atomic<bool> has_it = false;
  std::atomic<bool> end = false;
  std::thread other([&] {
    const Buffer buffer;
    has_it = true;
    while (!end) std::this_thread::yield();
  });
  while (!has_it) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    limit_addresses(rlim_t{100} << 20);
    try {
      const Buffer none;
      _exit(1);
    } catch (const std::bad_alloc&) {
      _exit(0);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  end = true;
  other.join();
  std::exit(status == 0 ? 0 : 1);
}

TEST(Buffers, OfOtherThreadsAreForgottenAfterAFork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fork_while_a_thread_has_the_buffer(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace orthodict::linalg
