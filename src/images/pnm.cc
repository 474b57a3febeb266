// SPDX-License-Identifier: Apache-2.0
// Written by hand: netpbm's own library isn't meant for hostile files, and no small maintained library reads the
// format.
#include "images/pnm.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "images/raster.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), name_(name) {}

  Image read() {
    const char kind = rest_[1];
    rest_.remove_prefix(2);
    const Index channels = kind == '3' || kind == '6' ? 3 : 1;
    const bool text = kind == '2' || kind == '3';
    const Index width = number("width");
    const Index height = number("height");
    const Index maxval = number("maxval");
    if (maxval < 1 || maxval > 65535) throw data_error(name_, fmt::format("maxval {}; legal: 1 … 65535", maxval));
    largest_ = static_cast<int>(maxval);
    Image image = start_image(name_, height, width, channels, largest_ > 255 ? 16 : 8, 0);
    const auto count = static_cast<std::size_t>(height * width * channels);
    text ? read_text(count, &image) : read_binary(count, &image);
    return image;
  }

 private:
  // Reads the next number, skipping blanks and comments.
  Index number(const char* what) {
    skip_blanks();
    std::uint32_t value = 0;
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (status != std::errc{}) throw data_error(name_, fmt::format("missing {}", what));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  void skip_blanks() {
    while (!rest_.empty() && (is_blank(rest_.front()) || rest_.front() == '#')) {
      const std::size_t line = rest_.front() == '#' ? rest_.find_first_of("\r\n") : 0;
      rest_.remove_prefix(line == std::string_view::npos ? rest_.size() : line + 1);
    }
  }

  // Each value takes at least two bytes, a digit and a blank.
  void read_text(std::size_t count, Image* image) {
    if (count > rest_.size() / 2 + 1) throw truncated(2 * count - 1);
    reserve_pixels(image);
    for (std::size_t i = 0; i < count; ++i) append(number("value"), image);
  }

  // A single blank ends the header. Values have two bytes, high byte first, if maxval exceeds 255, else one.
  void read_binary(std::size_t count, Image* image) {
    const std::size_t size = largest_ > 255 ? 2 : 1;
    if (rest_.empty() || !is_blank(rest_.front())) throw data_error(name_, "no blank after maxval");
    rest_.remove_prefix(1);
    if (count * size > rest_.size()) throw truncated(count * size);
    reserve_pixels(image);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(rest_.data());
    for (std::size_t i = 0; i < count; ++i) {
      append(size == 1 ? bytes[i] : bytes[2 * i] << 8 | bytes[2 * i + 1], image);
    }
  }

  void append(Index value, Image* image) const {
    if (value > largest_) throw data_error(name_, fmt::format("value {} is above the maxval {}", value, largest_));
    image->pixels.push_back(on_scale(static_cast<int>(value), largest_));
  }

  [[nodiscard]] Error truncated(std::size_t promised) const {
    return data_error(name_, fmt::format("truncated: header promises {} bytes, {} are there", promised, rest_.size()));
  }

  std::string_view rest_;
  const std::string& name_;
  int largest_ = 255;
};

}  // namespace

bool is_pnm(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.size() < 4 || text[0] != 'P' || std::string_view("2356").find(text[1]) == std::string_view::npos)
    return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return (is_blank(text[2]) && (is_blank(text[3]) || digit(text[3]) || text[3] == '#')) || text[2] == '#';
}

Image read_pnm(std::span<const std::byte> bytes, const std::string& name) { return Reader(bytes, name).read(); }

std::string pnm_bytes(const Image& image, const std::string& name) {
  return fmt::format("P{}\n{} {}\n{}\n", image.channels == 1 ? 5 : 6, image.width, image.height,
                     integer_depth(image) == 16 ? 65535 : 255) +
         raster_bytes(name, image, integer_depth(image), Alpha::kDrop);
}

}  // namespace orthodict::images
