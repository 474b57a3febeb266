// SPDX-License-Identifier: Apache-2.0
// TIFF files. tests/cli/test_images.py compares their contents with Pillow.
#include "images/tiff.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "files.h"
#include "orthodict/image.h"

namespace orthodict {
namespace {

Image sample_image(Index channels, int depth, bool has_alpha) {
  Image image{.height = 23, .width = 37, .channels = channels, .depth = depth};
  const int largest = depth == 8 ? 255 : 65535;
  const auto value = [&](Index i) {
    return static_cast<float>(static_cast<double>(i * 7919 % (largest + 1)) * 255 / largest);
  };
  for (Index i = 0; i < 23 * 37 * channels; ++i) image.pixels.push_back(value(i));
  for (Index i = 0; has_alpha && i < 23 * 37; ++i) image.alpha.push_back(value(3 * i));
  return image;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(Tiff, KeepsEveryValueOfEveryDepth) {
  for (const int depth : {8, 16, 32}) {
    for (const Index channels : {1, 3}) {
      for (const bool has_alpha : {false, true}) {
        const Image image = sample_image(channels, depth, has_alpha);
        const std::string file = image_bytes("a.tif", image);
        EXPECT_TRUE(images::is_tiff(bytes_of(file)));
        const Image back = read_image(bytes_of(file), "a.tif");
        EXPECT_EQ(back.depth, depth);
        EXPECT_EQ(back.channels, channels);
        ASSERT_EQ(back.pixels.size(), image.pixels.size());
        ASSERT_EQ(back.alpha.size(), image.alpha.size());
        // Values in floating point are divided by 255 and multiplied again.
        const float rounding = depth == 32 ? 255 * 1.2e-7F : 0;
        for (std::size_t i = 0; i < image.pixels.size(); ++i) ASSERT_NEAR(back.pixels[i], image.pixels[i], rounding);
        for (std::size_t i = 0; i < image.alpha.size(); ++i) ASSERT_NEAR(back.alpha[i], image.alpha[i], rounding);
      }
    }
  }
}

TEST(Tiff, OfFloatingPointIsNotClipped) {
  const Image image{.height = 1, .width = 3, .depth = 32, .pixels = {-300, 5e6, 1}};
  EXPECT_NEAR(read_image(bytes_of(image_bytes("a.tif", image)), "a.tif").pixels[1], 5e6, 1);
  EXPECT_EQ(read_image(bytes_of(image_bytes("a.png", image)), "a.png").depth, 16);
}

TEST(Tiff, ThatIsCutOrDamagedIsRefused) {
  const std::string whole = image_bytes("a.tif", sample_image(3, 8, true));
  for (std::size_t size = 8; size < whole.size(); size += 97) {
    const std::string cut = whole.substr(0, size);
    EXPECT_MENTIONS(test::message_of([&] { (void)read_image(bytes_of(cut), "a.tif"); }), "a.tif: damaged TIFF");
  }
}

// 16 bits per value, signed: sample format 2 in the entry of tag 339.
TEST(Tiff, OfOtherTypesIsRefused) {
  std::string file = image_bytes("a.tif", sample_image(1, 16, false));
  const char entry[] = {0x53, 0x01, 3, 0, 1, 0, 0, 0, 1, 0};
  const std::size_t at = file.find(std::string(entry, sizeof(entry)));
  ASSERT_NE(at, std::string::npos);
  file[at + 8] = 2;
  EXPECT_MENTIONS(test::message_of([&] { (void)read_image(bytes_of(file), "a.tif"); }), "legal: 8 or 16 bits");
}

}  // namespace
}  // namespace orthodict
