// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "files.h"

namespace orthodict {
namespace {

using DataMat = test::FolderTest;

// A v5 file with one 2×2 double matrix A = (1 3; 2 4), its values stored in one byte each as MATLAB does.
std::string small_mat(bool swapped) {
  const auto word = [&](std::uint32_t value) { return test::element_bytes(ElementType::kU32, value, swapped); };
  const std::string matrix = word(6) + word(8) + word(6) + word(0) +            // flags: double
                             word(5) + word(8) + word(2) + word(2) +            // shape
                             word(1U | 1U << 16) + std::string("A\0\0\0", 4) +  // name, small
                             word(2U | 4U << 16) + std::string("\1\2\3\4", 4);  // values, small
  const std::string version = test::element_bytes(ElementType::kU16, 0x0100, swapped);
  const std::string mark = test::element_bytes(ElementType::kU16, 'M' << 8 | 'I', swapped);
  return std::string(124, ' ') + version + mark + word(14) + word(static_cast<std::uint32_t>(matrix.size())) + matrix;
}

TEST_F(DataMat, TheOnlyNumericVariableIsTaken) {
  const Array array = read_array(test::fixture("plain.mat"));
  EXPECT_EQ(to_matrix(array), test::known_matrix());
  EXPECT_MENTIONS(array.name, "plain.mat:X");
}

TEST_F(DataMat, CompressedVariablesAreReadByName) {
  const std::string path = test::fixture("compressed.mat");
  EXPECT_EQ(to_matrix(read_array(path + ":X")), test::known_matrix());
  EXPECT_EQ(to_matrix(read_array(path + ":stack")), test::known_stack());
  EXPECT_EQ(to_matrix(read_array(path + ":mask")).sum(), 9.0);
  EXPECT_MENTIONS(test::read_error(path), "several matrices");
  EXPECT_MENTIONS(test::read_error(path), "sparse (sparse)");
  EXPECT_EQ(read_array(path + ":complex").type, ElementType::kC128);
  EXPECT_MENTIONS(test::read_error(path + ":sparse"), "is of class sparse");
  EXPECT_MENTIONS(test::read_error(path + ":text"), "is of class char");
  EXPECT_MENTIONS(test::read_error(path + ":record"), "is of class struct");
  EXPECT_MENTIONS(test::read_error(path + ":cells"), "is of class cell");
  EXPECT_MENTIONS(test::read_error(path + ":nix"), "has no variable \"nix\"");
}

TEST_F(DataMat, SmallElementsAndBothByteOrdersAreRead) {
  for (const bool swapped : {false, true}) {
    EXPECT_EQ(to_matrix(read_array(write("a.mat", small_mat(swapped)))), (RowMatrix<double>{{1, 3}, {2, 4}}));
  }
}

TEST_F(DataMat, TruncationAtEveryByteIsAnError) {
  // Truncation between variables can't be detected, so the test requests a variable after it.
  const std::pair<std::string, std::string> wholes[] = {{small_mat(false), "A"},
                                                        {test::slurp(test::fixture("plain.mat")), "label"},
                                                        {test::slurp(test::fixture("compressed.mat")), "cells"}};
  for (const auto& [whole, last] : wholes) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_MENTIONS(test::read_error(write("cut.mat", whole.substr(0, size)) + ":" + last), "cut.mat") << size;
    }
  }
}

TEST_F(DataMat, EveryWrongByteIsReadOrRefused) {
  for (const std::string& whole : {small_mat(false), test::slurp(test::fixture("compressed.mat"))}) {
    for (std::size_t at = 124; at < whole.size(); ++at) {
      for (const char value : {'\0', '\x7F', '\xFF'}) {
        std::string damaged = whole;
        damaged[at] = value;
        try {
          const Array array = read_array(write("bad.mat", damaged) + ":X");
          EXPECT_EQ(to_matrix(array).size(), array.size());
        } catch (const Error& error) {
          EXPECT_EQ(error.fault(), Fault::kData);
        }
      }
    }
  }
}

TEST_F(DataMat, OtherFilesAreRefused) {
  EXPECT_MENTIONS(test::read_error(write("short.mat", "MATLAB")), "isn't a MATLAB file");
  EXPECT_MENTIONS(test::read_error(write("other.mat", std::string(500, 'x'))), "no version mark");
  EXPECT_MENTIONS(test::read_error(write("none.mat", small_mat(false).substr(0, 128))), "no variables");
}

}  // namespace
}  // namespace orthodict
