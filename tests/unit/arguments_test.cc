// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <gtest/gtest.h>

#include "files.h"

namespace orthodict::cli {
namespace {

TEST(Arguments, AreSizes) {
  EXPECT_EQ(parse_patch_shape("--patch", "8x12").height, 8);
  EXPECT_EQ(parse_patch_shape("--patch", "8x12").width, 12);
  EXPECT_EQ(parse_extents("--shape", "8x12x3"), (std::vector<Index>{8, 12, 3}));
  for (const char* text : {"", "8", "8x", "x8", "8x0", "-8x8", "8x8x", "8x8x2", "8x8x3x1", "8 x 8", "8X8", "8x8 ",
                           "8.5x8", "99999999999999999999x1", "1000001x1"}) {
    const auto refusal = test::message_of([&] { static_cast<void>(parse_extents("--shape", text)); }, Fault::kOption);
    EXPECT_MENTIONS(refusal, "--shape = " + std::string(text) + ": must be HEIGHTxWIDTH");
  }
  for (const char* text : {"8x8x3", "8x8x1", "8"}) {
    const auto refusal =
        test::message_of([&] { static_cast<void>(parse_patch_shape("--patch", text)); }, Fault::kOption);
    EXPECT_MENTIONS(refusal, "must be HEIGHTxWIDTH, such as 8x8, each from 1 to 1000000");
  }
}

TEST(Arguments, AreTypesOfRawNumbers) {
  const auto [type, dimension] = parse_raw_format("--raw", "f32x100");
  EXPECT_EQ(type, ElementType::kF32);
  EXPECT_EQ(dimension, 100);
  for (const char* text : {"", "f32", "f32x", "x100", "f33x1", "f32x0", "f32x-1", "f32x1 ", "f32x1x2"}) {
    EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(parse_raw_format("--raw", text)); }, Fault::kOption),
                    "--raw = " + std::string(text) + ": must be TYPExFEATURES");
  }
}

TEST(Arguments, AreNamesOfImages) {
  require_image_name("--output", "a.png");
  EXPECT_MENTIONS(test::message_of([] { require_image_name("--output", "-"); }, Fault::kOption),
                  "--output = -: must be an image: .png");
}

TEST(Arguments, AMinusIsAStandardStream) {
  testing::internal::CaptureStdout();
  write_matrix(output_at("-"), test::known_matrix());
  const std::string bytes = testing::internal::GetCapturedStdout();
  EXPECT_EQ(bytes.substr(1, 5), "NUMPY");
  EXPECT_EQ(output_at("a.npy").name(), "a.npy");
  EXPECT_FALSE(output_at("a.npy").descriptor());
}

}  // namespace
}  // namespace orthodict::cli
