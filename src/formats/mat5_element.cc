// SPDX-License-Identifier: Apache-2.0
#include "formats/mat5_element.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "orthodict/error.h"

namespace orthodict::formats {
namespace {

class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> from) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
    stream_.avail_in = static_cast<uInt>(from.size());  // an element's size has 32 bits
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  // zlib's code after writing at most to.size() bytes; `written` says how many.
  int run(std::span<std::byte> to, std::size_t& written) {
    const std::size_t room = std::min<std::size_t>(to.size(), std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    written = room - stream_.avail_out;
    return code;
  }

 private:
  z_stream stream_ = {};
};

}  // namespace

std::optional<ElementType> mat5_element_type(std::uint32_t type) {
  switch (type) {
    case 1:
      return ElementType::kI8;
    case 2:
      return ElementType::kU8;
    case 3:
      return ElementType::kI16;
    case 4:
      return ElementType::kU16;
    case 5:
      return ElementType::kI32;
    case 6:
      return ElementType::kU32;
    case 7:
      return ElementType::kF32;
    case 9:
      return ElementType::kF64;
    case 12:
      return ElementType::kI64;
    case 13:
      return ElementType::kU64;
    default:
      return std::nullopt;
  }
}

std::span<const std::byte> Mat5Cursor::take(std::size_t count) {
  if (count > rest_.size()) {
    throw data_error(name_, fmt::format("truncated: an element promises {} bytes, {} are there", count, rest_.size()));
  }
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::uint32_t Mat5Cursor::word(std::span<const std::byte> four) const {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(four[big_endian_ ? i : 3 - i]);
  return value;
}

Mat5Element Mat5Cursor::next() {
  const std::uint32_t first = word(take(4));
  const std::uint32_t small_size = first >> 16;
  if (small_size > 4) throw data_error(name_, fmt::format("damaged: small element of {} bytes", small_size));
  if (small_size > 0) return {first & 0xFFFFU, take(4).first(small_size)};
  const std::uint32_t size = word(take(4));
  const Mat5Element element{first, take(size)};
  static_cast<void>(take(std::min<std::size_t>((8 - size % 8) % 8, rest_.size())));
  return element;
}

Mat5Element Mat5Cursor::next_variable() {
  const std::uint32_t type = word(take(4));
  const std::uint32_t size = word(take(4));
  return {type, take(size)};
}

std::size_t inflate_mat5(std::span<const std::byte> from, std::span<std::byte> to, bool whole,
                         const std::string& name) {
  Inflater inflater(from);
  std::size_t total = 0;
  int code = Z_OK;
  while (code == Z_OK && total < to.size()) {
    std::size_t written = 0;
    code = inflater.run(to.subspan(total), written);
    total += written;
  }
  std::byte beyond{};
  std::size_t extra = 0;
  if (whole && code == Z_OK) code = inflater.run({&beyond, 1}, extra);  // reaches the checksum
  const bool good =
      whole ? code == Z_STREAM_END && extra == 0 && total == to.size() : code == Z_OK || code == Z_STREAM_END;
  if (!good) throw data_error(name, "damaged: its compressed data cannot be inflated whole");
  return total;
}

}  // namespace orthodict::formats
