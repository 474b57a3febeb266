// SPDX-License-Identifier: Apache-2.0
#include "images/orientation.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace orthodict::images {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Reads numbers of a TIFF file in its byte order. Returns zero beyond the end; no tag has that number.
class Tiff {
 public:
  explicit Tiff(Bytes bytes) : bytes_(bytes), little_(!bytes.empty() && bytes[0] == 'I') {}
  [[nodiscard]] std::uint32_t number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes_[at + (little_ ? size - 1 - i : i)];
    return value;
  }

 private:
  Bytes bytes_;
  bool little_;
};

}  // namespace

int exif_orientation(std::span<const std::uint8_t> segment) {
  constexpr std::string_view kStart{"Exif\0\0", 6};
  if (segment.size() < kStart.size() || std::memcmp(segment.data(), kStart.data(), kStart.size()) != 0) return 1;
  constexpr std::uint32_t kTag = 0x0112;
  constexpr std::size_t kEntryBytes = 12;
  const Tiff tiff(segment.subspan(kStart.size()));
  const std::size_t directory = tiff.number(4, 4);
  const std::size_t entries = tiff.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (tiff.number(entry, 2) != kTag) continue;
    const std::uint32_t orientation = tiff.number(entry + 8, 2);
    return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  }
  return 1;
}

// Each orientation is a combination of: exchanging rows and columns, then flipping vertically, flipping horizontally.
Image turn_upright(Image image, int orientation) {
  if (orientation == 1) return image;
  const bool exchanged = orientation >= 5;
  const bool upside_down = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const bool mirrored = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  Image upright = image;
  if (exchanged) std::swap(upright.height, upright.width);
  for (Index y = 0; y < upright.height; ++y) {
    for (Index x = 0; x < upright.width; ++x) {
      const Index row = upside_down ? upright.height - 1 - y : y;
      const Index column = mirrored ? upright.width - 1 - x : x;
      for (Index c = 0; c < image.channels; ++c) {
        upright.at(y, x, c) = exchanged ? image.at(column, row, c) : image.at(row, column, c);
      }
    }
  }
  return upright;
}

}  // namespace orthodict::images
