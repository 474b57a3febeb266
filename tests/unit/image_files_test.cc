// SPDX-License-Identifier: Apache-2.0
// Image files. tests/cli/test_images.py compares their contents with Pillow.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <limits>

#include "files.h"
#include "orthodict/patches.h"
#include "random/stream.h"

namespace orthodict {
namespace {

class ImageFiles : public test::FolderTest {
 protected:
  // A new file each time: some file systems write to the disk when one is overwritten.
  [[nodiscard]] std::string write_new(const std::string& name, const std::string& contents) const {
    std::filesystem::remove(path(name));
    return write(name, contents);
  }
  [[nodiscard]] std::string error_of_reading(const std::string& name, const std::string& contents) const {
    const std::string file = write_new(name, contents);
    return test::message_of([&] { static_cast<void>(read_image(file)); });
  }
};

// Every value of this depth occurs, and neighbours differ.
Image sample_image(Index height, Index width, Index channels, int depth) {
  Image image{.height = height, .width = width, .channels = channels, .depth = depth};
  const int largest = depth == 8 ? 255 : 65535;
  for (Index i = 0; i < height * width * channels; ++i) {
    const auto value = static_cast<double>(i * 7919 % (largest + 1));
    image.pixels.push_back(static_cast<float>(value * 255 / largest));
  }
  return image;
}

// A smooth picture, which JPEG represents well.
Image smooth_image(Index height, Index width, Index channels) {
  Image image{.height = height, .width = width, .channels = channels};
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      for (Index c = 0; c < channels; ++c) {
        const double angle = 0.1 * static_cast<double>(y) + 0.07 * static_cast<double>(x) + static_cast<double>(c);
        image.pixels.push_back(static_cast<float>(128 + 100 * std::sin(angle)));
      }
    }
  }
  return image;
}

TEST_F(ImageFiles, KeepEveryValueOfEveryDepth) {
  for (const int depth : {8, 16}) {
    for (const Index channels : {1, 3}) {
      const Image image = sample_image(41, 37, channels, depth);
      for (const std::string name : {"a.png", channels == 1 ? "a.pgm" : "a.ppm", "A.PNG"}) {
        write_image(path(name), image);
        const Image back = read_image(path(name));
        EXPECT_EQ(back.height, 41);
        EXPECT_EQ(back.width, 37);
        EXPECT_EQ(back.channels, channels);
        EXPECT_EQ(back.depth, depth);
        EXPECT_EQ(back.pixels, image.pixels) << name << " " << depth;
      }
    }
  }
}

TEST_F(ImageFiles, AreRoundedAndClipped) {
  const float infinite = std::numeric_limits<float>::infinity();
  const Image image{.height = 1, .width = 6, .pixels = {-3.0F, 0.4F, 0.6F, 254.6F, 300.0F, infinite}};
  for (const char* name : {"a.png", "a.pgm"}) {
    write_image(path(name), image);
    EXPECT_EQ(read_image(path(name)).pixels, (std::vector<float>{0, 0, 1, 255, 255, 255}));
  }
}

TEST_F(ImageFiles, AreCloseInJpeg) {
  for (const Index channels : {1, 3}) {
    const Image image = smooth_image(40, 56, channels);
    for (const char* name : {"a.jpg", "a.jpeg"}) {
      write_image(path(name), image);
      const Image back = read_image(path(name));
      EXPECT_EQ(back.channels, channels);
      EXPECT_EQ(back.depth, 8);
      // At quality 95 the steps of the standard's tables are at most 12 for luma and 10 for chroma. A coefficient loses
      // half a step, and the transform is orthonormal: so does a pixel, in the root mean square. Blue is Y + 1.772 Cb,
      // and green has -0.344 Cb beside it; 1 is for values rounded before and after.
      const double loss = channels == 1 ? 6 + 1 : 6 + (1.772 + 0.344) * 5 + 1;
      EXPECT_GT(psnr(back, image), 20 * std::log10(255 / loss)) << name;
    }
  }
}

// A TIFF directory of two entries, the second of which is the orientation: numbers of one byte order.
std::string exif_segment(int orientation, bool little) {
  const auto number = [little](int value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> 8 * (little ? i : size - 1 - i)));
    return bytes;
  };
  const auto entry = [&](int tag, int value) {
    return number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 2) + number(0, 2);
  };
  const std::string tiff = (little ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) + entry(0x0100, 24) +
                           entry(0x0112, orientation) + number(0, 4);
  const std::string body = std::string("Exif\0\0", 6) + tiff;
  const auto length = static_cast<int>(body.size() + 2);
  return std::string("\xFF\xE1") + static_cast<char>(length >> 8) + static_cast<char>(length & 0xFF) + body;
}

// Exif 2.32, tag 274: which sides of the scene the first row and the first column of the file are.
TEST_F(ImageFiles, FromACameraAreTurnedUpright) {
  struct Corners {
    int first_bottom, first_right;  // position of the file's first pixel
    int last_bottom, last_right;    // … and the last one of its first row
  };
  constexpr Corners kExpected[] = {{0, 0, 0, 1}, {0, 1, 0, 0}, {1, 1, 1, 0}, {1, 0, 1, 1},
                                   {0, 0, 1, 0}, {0, 1, 1, 1}, {1, 1, 0, 1}, {1, 0, 0, 0}};
  Image image{.height = 32, .width = 64};  // JPEG blocks at the corners have different values
  image.pixels.assign(32 * 64, 128);
  for (Index y = 0; y < 8; ++y) {
    for (Index x = 0; x < 8; ++x) {
      image.at(y, x) = 20;
      image.at(y, 63 - x) = 220;
    }
  }
  write_image(path("plain.jpg"), image);
  const std::string plain = test::slurp(path("plain.jpg"));
  for (int orientation = 1; orientation <= 8; ++orientation) {
    for (const bool little : {true, false}) {
      const auto& expected = kExpected[orientation - 1];
      const Image upright =
          read_image(write_new("turned.jpg", plain.substr(0, 2) + exif_segment(orientation, little) + plain.substr(2)));
      const bool exchanged = orientation >= 5;
      ASSERT_EQ(upright.height, exchanged ? 64 : 32);
      ASSERT_EQ(upright.width, exchanged ? 32 : 64);
      const Index bottom = upright.height - 1;
      const Index right = upright.width - 1;
      EXPECT_NEAR(upright.at(expected.first_bottom * bottom, expected.first_right * right), 20, 3) << orientation;
      EXPECT_NEAR(upright.at(expected.last_bottom * bottom, expected.last_right * right), 220, 3) << orientation;
    }
  }
  // Invalid or truncated orientation data are ignored.
  for (const std::string& segment : {exif_segment(9, true), exif_segment(0, false)}) {
    EXPECT_EQ(read_image(write_new("odd.jpg", plain.substr(0, 2) + segment + plain.substr(2))).height, 32);
  }
  const std::string whole = exif_segment(6, true);
  for (std::size_t length = 4; length < 38; ++length) {
    std::string cut = whole.substr(0, length);
    cut[3] = static_cast<char>(length - 2);
    EXPECT_EQ(read_image(write_new("cut.jpg", plain.substr(0, 2) + cut + plain.substr(2))).height, 32) << length;
  }
}

TEST_F(ImageFiles, OfGreyHaveThreeEqualChannelsInPpm) {
  const Image image = sample_image(5, 7, 1, 16);
  write_image(path("a.ppm"), image);
  EXPECT_EQ(read_image(path("a.ppm")).pixels, to_color(image).pixels);
}

TEST_F(ImageFiles, HaveNamesThatTellTheFormat) {
  const Image image = sample_image(5, 7, 3, 8);
  const auto refusal = [&](const std::string& name) {
    return test::message_of([&] { write_image(name, image); }, Fault::kOption);
  };
  EXPECT_MENTIONS(refusal(path("a.pgm")), "the image is in colour");
  EXPECT_MENTIONS(refusal(path("a.gif")), ".png, .tif, .tiff, .pgm, .ppm, .jpg or .jpeg");
  EXPECT_TRUE(files().empty());
  EXPECT_MENTIONS(check_image_name("a.jpg", {.height = 1, .width = 65501}), "a .png, .tif, .pgm or .ppm");
  EXPECT_MENTIONS(check_image_name("a.jpg", {.height = 65501, .width = 1}), "65500");
  EXPECT_EQ(check_image_name("a.jpg", {.height = 65500, .width = 65500}), "");
  EXPECT_EQ(check_image_name("a.png", {.height = 1, .width = 65501}), "");
  EXPECT_EQ(check_image_name("a.ppm"), "");
}

TEST_F(ImageFiles, AreNotWrittenWhenTheFieldsDoNotFit) {
  const Image good = sample_image(5, 7, 1, 8);
  const auto refusal = [&](const Image& image) { return test::message_of([&] { write_image(path("a.png"), image); }); };
  Image bad = good;
  bad.pixels.pop_back();
  EXPECT_MENTIONS(refusal(bad), "5×7×1 with 34 values");
  bad = good;
  bad.channels = 5;
  EXPECT_MENTIONS(refusal(bad), "1 or 3 channels");
  bad = good;
  bad.depth = 12;
  EXPECT_MENTIONS(refusal(bad), "12 bits");
  EXPECT_MENTIONS(refusal(Image{}), "0×0×1");
  bad = good;
  bad.pixels[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_MENTIONS(refusal(bad), "NaN");
  EXPECT_TRUE(files().empty());
}

TEST_F(ImageFiles, OfNetpbmHaveCommentsAndAnyMaxval) {
  const auto pixels_of = [&](const std::string& contents) { return read_image(write("a.pnm", contents)).pixels; };
  EXPECT_EQ(pixels_of("P2 2 2 255\n1 2\n3 255"), (std::vector<float>{1, 2, 3, 255}));
  EXPECT_EQ(pixels_of("P2#x\n#y\n 2#z\r\n1\n#5\n5 #6\n0 5"), (std::vector<float>{0, 255}));
  EXPECT_EQ(pixels_of("P3\t1 1\n3\n1 2 3\n"), (std::vector<float>{85, 170, 255}));
  EXPECT_EQ(pixels_of(std::string("P5\n2 1\n1\n\0\1", 12)), (std::vector<float>{0, 255}));
  EXPECT_EQ(pixels_of(std::string("P5 1 2 65535\n\1\1\xFF\xFF", 17)), (std::vector<float>{1, 255}));
  EXPECT_EQ(pixels_of("P6 1 1 255 abcP6 1 1 255 def"), (std::vector<float>{97, 98, 99}));
  EXPECT_EQ(read_image(write("a.pnm", "P2 1 1 256 256")).depth, 16);
}

TEST_F(ImageFiles, OfNetpbmWithNonsenseAreRefused) {
  const auto error = [&](const std::string& contents) { return error_of_reading("bad.pnm", contents); };
  EXPECT_MENTIONS(error("P2 2 2 255 1 2 3"), "bad.pnm: missing value");
  EXPECT_MENTIONS(error("P2 2 2 255 1 2 3 x"), "missing value");
  EXPECT_MENTIONS(error("P2 2 2 255 1 2 3 256"), "value 256 is above the maxval 255");
  EXPECT_MENTIONS(error("P5 2 2 100 abc\x7F"), "value 127 is above the maxval 100");
  EXPECT_MENTIONS(error("P2 2 2 0 0 0 0 0"), "maxval 0");
  EXPECT_MENTIONS(error("P2 2 2 65536 0 0 0 0"), "maxval 65536");
  EXPECT_MENTIONS(error("P2 0 2 255 1"), "2×0 pixels");
  EXPECT_MENTIONS(error("P2 2 -2 255 1"), "missing height");
  EXPECT_MENTIONS(error("P5 2 2 255"), "no blank after maxval");
  EXPECT_MENTIONS(error("P5 2 2 255xabcd"), "no blank after maxval");
  EXPECT_MENTIONS(error("P5 2 2 255\nabc"), "truncated: header promises 4 bytes, 3 are there");
  EXPECT_MENTIONS(error("P5 2000000 2 255\nabc"), "2×2000000 pixels");
  EXPECT_MENTIONS(error("P6 1000000 1000000 65535\nabc"), "memory");
  EXPECT_MENTIONS(error("P3 20000 20000 255\n1 2 3"), "truncated");
  EXPECT_MENTIONS(error("P5 99999999999999999999 1 255\n"), "missing width");
  EXPECT_MENTIONS(error("P4 8 1 \xFF"), "not a supported image");
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(sum));
}

// Grey, with these sides and bits, and two bytes of data.
std::string hostile_png(std::uint32_t width, std::uint32_t height, char depth) {
  const std::string header = big_endian(width) + big_endian(height) + std::string{depth, 0, 0, 0, 0};
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) + chunk("IDAT", "\x78\x9C") + chunk("IEND", "");
}

TEST_F(ImageFiles, ThatPromiseTooMuchAreRefusedBeforeMemoryIsTaken) {
  const auto png = [&](std::uint32_t width, std::uint32_t height, char depth) {
    return error_of_reading("bad.png", hostile_png(width, height, depth));
  };
  EXPECT_MENTIONS(png(0x7FFFFFFF, 0x7FFFFFFF, 16), "bad.png: promises 2147483647×2147483647 pixels");
  EXPECT_MENTIONS(png(1'000'000, 1'000'000, 8), "memory");
  EXPECT_MENTIONS(png(30'000, 30'000, 8), "truncated");
  EXPECT_MENTIONS(png(0, 5, 8), "damaged PNG");
  EXPECT_MENTIONS(png(0xFFFFFFFF, 5, 8), "damaged PNG");
  EXPECT_MENTIONS(png(5, 5, 7), "damaged PNG");
  write_image(path("small.jpg"), sample_image(8, 8, 3, 8));
  std::string jpeg = test::slurp(path("small.jpg"));
  const std::size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xFF\xDC\xFF\xDC");  // 65500×65500
  EXPECT_MENTIONS(error_of_reading("bad.jpg", jpeg), "bad.jpg: damaged JPEG: truncated");
}

TEST_F(ImageFiles, OfOtherKindsAreRefused) {
  for (const std::string contents :
       {"x", "P", "P5", "P5 ", "P9 1 1", "GIF89a", "\x89PNG", "\xFF\xD8", "P2 P3\n1 2\n"}) {
    EXPECT_MENTIONS(error_of_reading("a.png", contents), "a.png: not a supported image") << contents;
    EXPECT_FALSE(is_image_source(OpenedSource(path("a.png")))) << contents;
  }
  EXPECT_MENTIONS(error_of_reading("a.png", ""), "is empty");
  EXPECT_MENTIONS(test::message_of([&] { const OpenedSource none(path("none.png")); }), "cannot be opened");
}

// Names of one small file for each format.
std::vector<std::string> all_formats(const std::string& folder) {
  std::vector<std::string> paths;
  for (const Index channels : {1, 3}) {
    for (const char* suffix : {".png", ".jpg", channels == 1 ? ".pgm" : ".ppm"}) {
      paths.push_back(folder + std::to_string(channels) + suffix);
      write_image(paths.back(), smooth_image(20, 18, channels));
    }
  }
  return paths;
}

TEST_F(ImageFiles, CutAnywhereAreErrorsThatNameTheFile) {
  for (const std::string& whole : all_formats(path(""))) {
    EXPECT_TRUE(is_image_source(OpenedSource(whole)));
    const std::string contents = test::slurp(whole);
    for (std::size_t size = 0; size < contents.size(); ++size) {
      EXPECT_MENTIONS(error_of_reading("cut", contents.substr(0, size)), "cut: ") << whole << " at " << size;
    }
  }
}

// Damaged files give an image of legal shape or an Error.
TEST_F(ImageFiles, WithDamagedBytesAreReadOrRefused) {
  const random::Stream stream(1, random::Purpose::kNoise);
  for (const std::string& whole : all_formats(path(""))) {
    const std::string contents = test::slurp(whole);
    int refused = 0;
    for (Index trial = 0; trial < 400; ++trial) {
      std::string damaged = contents;
      for (Index flip = 0; flip <= trial % 3; ++flip) {
        // Every other flip hits the first hundred bytes, where headers are.
        const auto reach = flip % 2 == 0 ? std::min<std::size_t>(100, damaged.size()) : damaged.size();
        const double place = std::abs(stream.normal(trial, 2 * flip)) * 1000;
        const auto bits = static_cast<unsigned>(std::abs(stream.normal(trial, 2 * flip + 1)) * 100) % 255 + 1;
        auto& byte = damaged[static_cast<std::size_t>(place) % reach];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ bits);
      }
      const std::string file = write_new("damaged", damaged);
      try {
        read_image(file).validate(file);
      } catch (const Error& error) {
        EXPECT_MENTIONS(std::string(error.what()), "damaged: ");
        ++refused;
      }
    }
    EXPECT_GT(refused, 0) << whole;
  }
}

TEST(Image, GreyIsTheLumaAndColourThreeEqualChannels) {
  const Image color{.height = 1, .width = 2, .channels = 3, .depth = 16, .pixels = {10, 20, 30, 200, 200, 200}};
  const Image grey = to_grey(color);
  EXPECT_EQ(grey.channels, 1);
  EXPECT_EQ(grey.depth, 16);
  EXPECT_EQ(grey.pixels, (std::vector<float>{static_cast<float>(0.299 * 10 + 0.587 * 20 + 0.114 * 30), 200}));
  EXPECT_EQ(to_color(grey).pixels[2], grey.pixels[0]);
  EXPECT_EQ(to_color(grey).channels, 3);
  EXPECT_EQ(to_grey(grey).pixels, grey.pixels);
  EXPECT_EQ(to_color(color).pixels, color.pixels);
  EXPECT_EQ(color.at(0, 1, 2), 200);
  EXPECT_EQ(color.at(0, 0, 1), 20);
}

}  // namespace
}  // namespace orthodict
