// SPDX-License-Identifier: Apache-2.0
// Files for the tests of src/samples, src/files and src/formats: a folder of their own, hostile contents, arrays with
// known values.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "orthodict/array.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "support.h"

namespace orthodict::test {

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::string fixture(const std::string& name) { return std::string(ORTHODICT_TEST_DATA) + "/" + name; }

// A temporary folder that is removed at the end of the test.
class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "orthodict-" + std::to_string(getpid()) + "-" + test->test_suite_name() + "." +
              test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  [[nodiscard]] std::string write(const std::string& name, const std::string& contents) const {
    std::filesystem::remove(path(name));  // truncating and rewriting a file makes ext4 wait for the disk
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }

  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

 private:
  std::string folder_;
};

// Returns the message of the Error that `body` throws, and checks its fault.
template <typename Body>
std::string message_of(Body&& body, Fault fault = Fault::kData) {
  const auto [thrown, message] = error_of(std::forward<Body>(body));
  EXPECT_EQ(thrown, fault) << message;
  return message;
}

inline std::string read_error(const std::string& path) {
  return message_of([&] { static_cast<void>(read_array(path)); });
}

#define EXPECT_MENTIONS(message, part) EXPECT_NE((message).find(part), std::string::npos) << (message)

// 1.5·(4i + j), the values that tests/data/generate.py writes.
inline RowMatrix<double> known_matrix() {
  RowMatrix<double> matrix(3, 4);
  for (Index k = 0; k < matrix.size(); ++k) matrix.data()[k] = 1.5 * static_cast<double>(k);
  return matrix;
}

// 0, 1, 2 …: the 2×3×4 stack as a matrix.
inline RowMatrix<double> known_stack() {
  RowMatrix<double> matrix(2, 12);
  for (Index k = 0; k < matrix.size(); ++k) matrix.data()[k] = static_cast<double>(k);
  return matrix;
}

inline constexpr ElementType kEveryType[] = {ElementType::kU8,  ElementType::kI8,  ElementType::kU16, ElementType::kI16,
                                             ElementType::kU32, ElementType::kI32, ElementType::kU64, ElementType::kI64,
                                             ElementType::kF16, ElementType::kF32, ElementType::kF64};

template <typename Element>
std::string bytes_as(double value) {
  const auto element = static_cast<Element>(value);
  std::string bytes(sizeof(Element), '\0');
  std::memcpy(bytes.data(), static_cast<const void*>(&element), sizeof(Element));
  return bytes;
}

// The bytes of `value` as `type`, in this machine's order or swapped.
inline std::string element_bytes(ElementType type, double value, bool swapped) {
  std::string bytes;
  switch (type) {
    case ElementType::kU8:
      bytes = bytes_as<std::uint8_t>(value);
      break;
    case ElementType::kI8:
      bytes = bytes_as<std::int8_t>(value);
      break;
    case ElementType::kU16:
      bytes = bytes_as<std::uint16_t>(value);
      break;
    case ElementType::kI16:
      bytes = bytes_as<std::int16_t>(value);
      break;
    case ElementType::kU32:
      bytes = bytes_as<std::uint32_t>(value);
      break;
    case ElementType::kI32:
      bytes = bytes_as<std::int32_t>(value);
      break;
    case ElementType::kU64:
      bytes = bytes_as<std::uint64_t>(value);
      break;
    case ElementType::kI64:
      bytes = bytes_as<std::int64_t>(value);
      break;
    case ElementType::kF16:
      bytes = bytes_as<Eigen::half>(value);
      break;
    case ElementType::kF32:
      bytes = bytes_as<float>(value);
      break;
    case ElementType::kF64:
      bytes = bytes_as<double>(value);
      break;
    case ElementType::kC64:
    case ElementType::kC128:
      ADD_FAILURE() << "complex elements have two values";
  }
  return swapped ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

}  // namespace orthodict::test
