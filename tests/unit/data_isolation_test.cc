// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

#include "data/isolation.h"
#include "orthodict/error.h"

namespace orthodict::data {
namespace {

using Found = std::optional<ArrayInFile>;

TEST(Isolation, ReturnsWhatWasRead) {
  const Found found = read_isolated("x", [](const Storage& storage) {
    ArrayInFile made;
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
  const Found located = read_isolated("x", [](const Storage&) { return Found(ArrayInFile()); });
  ASSERT_TRUE(located);
  EXPECT_EQ(located->array.data, nullptr);
  EXPECT_FALSE(read_isolated("x", [](const Storage&) { return Found(); }));
  const Found empty = read_isolated("x", [](const Storage& storage) {
    ArrayInFile made;
    made.array.shape = {0, 3};
    made.array.owner = storage("x", 0);
    made.array.data = static_cast<const std::byte*>(made.array.owner.get());
    return Found(made);
  });
  EXPECT_NE(empty->array.data, nullptr);
}

std::string error_of(const std::function<void()>& read) {
  try {
    (void)read_isolated("the/file", [&](const Storage&) {
      read();
      return Found();
    });
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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

TEST(Isolation, TurnsCrashesIntoErrors) {
  const std::vector<std::function<void()>> crashes = {[] { std::raise(SIGSEGV); }, [] { std::abort(); },
                                                      [] { std::raise(SIGBUS); }, [] { _exit(0); }, [] { _exit(1); }};
  for (const auto& crash : crashes) {
    EXPECT_NE(error_of(crash).find("the/file: damaged: the library"), std::string::npos) << error_of(crash);
  }
  EXPECT_NE(error_of([] { std::raise(SIGKILL); }).find("the/file: the process that read it was killed"),
            std::string::npos);
}

}  // namespace
}  // namespace orthodict::data
