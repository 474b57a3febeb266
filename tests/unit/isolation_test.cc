// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/isolation.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <numeric>
#include <string>

#include "memory/limits.h"
#include "orthodict/error.h"

namespace orthodict::formats {
namespace {

using Found = std::optional<files::ArrayInFile>;

TEST(Isolation, ReturnsWhatWasRead) {
  const Found found = read_isolated("x", [](const Storage& storage) {
    files::ArrayInFile made;
    made.array.type = ElementType::kI32;
    made.array.shape = {2, 3};
    made.array.column_major = true;
    made.array.name = "näme";
    made.offset = 17;
    const auto room = storage("x", 24);
    auto* const values = reinterpret_cast<std::int32_t*>(room.get());
    std::iota(values, values + 6, 5);
    made.array.data = room.get();
    made.array.owner = room;
    return Found(made);
  });
  ASSERT_TRUE(found);
  const Array& array = found->array;
  EXPECT_EQ(array.type, ElementType::kI32);
  EXPECT_EQ(array.shape, (std::vector<Index>{2, 3}));
  EXPECT_TRUE(array.column_major);
  EXPECT_FALSE(array.byte_swapped);
  EXPECT_EQ(array.name, "näme");
  EXPECT_EQ(found->offset, 17u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(reinterpret_cast<const std::int32_t*>(array.data)[i], 5 + i);
}

TEST(Isolation, ReturnsArraysWithoutElements) {
  const Found located = read_isolated("x", [](const Storage&) { return Found(files::ArrayInFile()); });
  ASSERT_TRUE(located);
  EXPECT_EQ(located->array.data, nullptr);
  EXPECT_FALSE(read_isolated("x", [](const Storage&) { return Found(); }));
  const Found empty = read_isolated("x", [](const Storage& storage) {
    files::ArrayInFile made;
    made.array.shape = {0, 3};
    made.array.owner = storage("x", 0);
    made.array.data = static_cast<const std::byte*>(made.array.owner.get());
    return Found(made);
  });
  EXPECT_NE(empty->array.data, nullptr);
}

// While the result exists, no more memory is available.
TEST(Isolation, CountsWhatWasRead) {
  const std::size_t room = memory::room_for_data();
  EXPECT_FALSE(memory::is_large(room));
  Found found = read_isolated("x", [](const Storage& storage) {
    files::ArrayInFile made;
    made.array.type = ElementType::kU8;
    made.array.shape = {5};
    made.array.owner = storage("x", 5);
    made.array.data = static_cast<const std::byte*>(made.array.owner.get());
    return Found(made);
  });
  EXPECT_FALSE(memory::is_large(room - 5));
  EXPECT_TRUE(memory::is_large(room - 4));
  found.reset();
  EXPECT_FALSE(memory::is_large(room));
}

std::string error_of_found(const std::function<Found(const Storage&)>& read,
                           std::optional<std::chrono::seconds> time = std::nullopt) {
  try {
    (void)read_isolated("the/file", read, time);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string error_of(const std::function<void()>& read, std::optional<std::chrono::seconds> time = std::nullopt) {
  const auto read_nothing = [&](const Storage&) {
    read();
    return Found();
  };
  return error_of_found(read_nothing, time);
}

TEST(Isolation, PassesErrorsOn) {
  EXPECT_EQ(error_of([] { throw data_error("y.h5", "is bad"); }), "y.h5: is bad");
  EXPECT_EQ(error_of([] { throw std::bad_alloc(); }), "the/file: not enough memory");
  try {
    (void)read_isolated("x", [](const Storage&) -> Found { throw Error(Fault::kOption, "o"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kOption);
  }
}

// A process that a malicious file has taken over may send any result.
TEST(Isolation, RefusesWhatDoesntFitItsShape) {
  const auto refusal = [](std::vector<Index> shape, std::size_t stored_bytes) {
    return error_of_found([&](const Storage& storage) {
      files::ArrayInFile made;
      made.array.type = ElementType::kF64;
      made.array.shape = shape;
      if (stored_bytes > 0) made.array.owner = storage("x", stored_bytes);
      made.array.data = static_cast<const std::byte*>(made.array.owner.get());
      return Found(made);
    });
  };
  const std::string misfit = "the/file: damaged: its contents don't match its shape";
  EXPECT_EQ(refusal({3, 2}, 47), misfit);
  EXPECT_EQ(refusal({3, 2}, 48), "");
  for (const std::size_t stored_bytes : {0, 48}) {
    EXPECT_EQ(refusal({3, -2}, stored_bytes), misfit);
    EXPECT_EQ(refusal({Index{1} << 40, Index{1} << 40}, stored_bytes), misfit);
  }
}

TEST(Isolation, TurnsCrashesIntoErrors) {
  const std::vector<std::function<void()>> crashes = {[] { std::raise(SIGSEGV); }, [] { std::abort(); },
                                                      [] { std::raise(SIGBUS); }, [] { _exit(0); }, [] { _exit(1); }};
  for (const auto& crash : crashes) {
    EXPECT_NE(error_of(crash).find("the/file: damaged: the library"), std::string::npos) << error_of(crash);
  }
  EXPECT_NE(error_of([] { std::raise(SIGKILL); }).find("the/file: the process that read it was killed"),
            std::string::npos);
}

void expect_no_child() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Isolation, LeavesNoProcessBehind) {
  EXPECT_EQ(error_of([] {}), "");
  expect_no_child();
  EXPECT_NE(error_of([] { throw 5; }).find("the/file: damaged: the library"), std::string::npos);
  expect_no_child();
}

TEST(Isolation, KeepsTheHostsHandlersOut) {
  const auto before = std::set_terminate([] { std::raise(SIGKILL); });
  const std::string message = error_of([] { throw 5; });
  std::set_terminate(before);
  EXPECT_NE(message.find("the/file: damaged: the library"), std::string::npos) << message;
}

TEST(Isolation, EndsWhatTakesTooLong) {
  const auto loop = [] {
    const volatile bool goes_on = true;
    while (goes_on) {
    }
  };
  EXPECT_EQ(error_of(loop, std::chrono::seconds(1)),
            "the/file: damaged: reading it takes longer than it should for any file of this size");
  expect_no_child();
}

// The message contains the process's remaining seconds.
[[noreturn]] void throw_time() {
  rlimit limit = {};
  getrlimit(RLIMIT_CPU, &limit);
  throw data_error("seconds", std::to_string(limit.rlim_cur));
}

TEST(Isolation, GivesMoreTimeForMoreBytes) {
  EXPECT_EQ(error_of(throw_time), "seconds: 60");
  EXPECT_EQ(error_of(throw_time, std::chrono::seconds(7)), "seconds: 7");
  const auto throw_more_time = [] {
    allow_time_for(50'000'000);
    throw_time();
  };
  EXPECT_EQ(error_of(throw_more_time, std::chrono::seconds(7)), "seconds: 12");
}

}  // namespace
}  // namespace orthodict::formats
