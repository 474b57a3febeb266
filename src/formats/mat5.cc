// SPDX-License-Identifier: Apache-2.0
#include "formats/mat5.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "memory/allocation.h"
#include "orthodict/error.h"
#include "samples/convert.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

// Types of data elements ("MAT-File Format", table 1-1).
enum Mat5Type : std::uint32_t { kMatInt8 = 1, kMatInt32 = 5, kMatUint32 = 6, kMatMatrix = 14, kMatCompressed = 15 };

struct Mat5Element {
  std::uint32_t type = 0;
  std::span<const std::byte> payload;
};

// Parses successive data elements: tag (type, size), payload, padding. Throws Error that names `name` if an element is
// truncated.
class Mat5Cursor {
 public:
  Mat5Cursor(std::span<const std::byte> bytes, bool big_endian, const std::string& name)
      : rest_(bytes), big_endian_(big_endian), name_(name) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  Mat5Element next();           // a subelement: padded to 8 bytes, or small (packed into its tag)
  Mat5Element next_variable();  // at top level: never padded or small
  [[nodiscard]] std::uint32_t word(std::span<const std::byte> four) const;

 private:
  std::span<const std::byte> take(std::size_t count);

  std::span<const std::byte> rest_;
  bool big_endian_;
  const std::string& name_;
};

class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> from) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
    stream_.avail_in = static_cast<uInt>(from.size());  // fits: element sizes have 32 bits
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  // Writes at most to.size() bytes, sets `written` to their number and returns zlib's code.
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

// Inflates a zlib stream from its start until `to` is full; returns the number of bytes written. With `whole` the
// stream must end there with a valid checksum. Throws Error that names `name` for a damaged stream.
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
  if (whole && code == Z_OK) code = inflater.run({&beyond, 1}, extra);  // verifies the checksum
  const bool good =
      whole ? code == Z_STREAM_END && extra == 0 && total == to.size() : code == Z_OK || code == Z_STREAM_END;
  if (!good) throw data_error(name, "damaged: its compressed data cannot be inflated");
  return total;
}

constexpr std::size_t kFileHeaderBytes = 128;
constexpr std::size_t kTagBytes = 8;
constexpr std::size_t kVariableHeaderBytes = 4096;  // ample for flags, shape and name
constexpr std::uint32_t kFirstNumericClass = 6;
constexpr std::uint32_t kLastNumericClass = 15;
constexpr std::uint32_t kOpaqueClass = 17;

Mat5Element expect(Mat5Cursor& cursor, std::uint32_t type, const char* what, const std::string& name) {
  const Mat5Element element = cursor.next();
  if (element.type == type) return element;
  throw data_error(name, fmt::format("damaged: {} of type {}; legal: {}", what, element.type, type));
}

// Parses flags, shape and name; leaves the cursor before the elements.
Mat5Variable parse_header(Mat5Cursor& cursor, const std::string& name) {
  constexpr std::uint32_t kComplexFlag = 0x800;
  constexpr std::size_t kMostDimensions = 64;
  Mat5Variable variable;
  const auto flags = expect(cursor, kMatUint32, "array flags", name).payload;
  if (flags.size() != 8) throw data_error(name, "damaged array flags");
  const std::uint32_t bits = cursor.word(flags.first(4));
  variable.matlab_class = bits & 0xFFU;
  variable.complex = (bits & kComplexFlag) != 0;
  if (variable.matlab_class != kOpaqueClass) {  // opaque variables have no shape
    const auto extents = expect(cursor, kMatInt32, "shape", name).payload;
    if (extents.size() % 4 != 0 || extents.size() / 4 > kMostDimensions) throw data_error(name, "damaged shape");
    for (std::size_t at = 0; at < extents.size(); at += 4) {
      variable.shape.push_back(static_cast<std::int32_t>(cursor.word(extents.subspan(at, 4))));
    }
  }
  const auto text = expect(cursor, kMatInt8, "name", name).payload;
  variable.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return variable;
}

// The inflated size of a compressed matrix with its tag, which the tag tells.
std::size_t inflated_bytes(std::span<const std::byte> start, std::size_t deflated, bool big_endian,
                           const std::string& name) {
  if (start.size() < kTagBytes) throw data_error(name, "damaged: a compressed variable without a tag");
  const Mat5Cursor cursor({}, big_endian, name);
  const std::uint32_t type = cursor.word(start.first(4));
  if (type != kMatMatrix)
    throw data_error(name, fmt::format("damaged: compressed element of type {}; legal: 14", type));
  const std::size_t bytes = kTagBytes + cursor.word(start.subspan(4, 4));
  if (bytes / memory::kDeflateRatio > deflated) {
    throw data_error(
        name, fmt::format("damaged: promises {} bytes from {} compressed bytes, which is impossible", bytes, deflated));
  }
  return bytes;
}

// Points the array to its numbers, which come next.
void take_numbers(Mat5Cursor& cursor, bool big_endian, Array* array) {
  const Mat5Element values = cursor.next();
  const auto type = mat5_element_type(values.type);
  if (!type) throw data_error(array->name, fmt::format("damaged: numbers of type {}", values.type));
  const auto promised = memory::array_bytes(array->shape, element_size(*type));
  if (!promised || *promised != values.payload.size()) {
    throw data_error(array->name, fmt::format("damaged: {} promised, but {} bytes of {} are there",
                                              text::shape_text(array->shape), values.payload.size(), to_string(*type)));
  }
  array->type = *type;
  array->column_major = true;
  array->byte_swapped = big_endian != (std::endian::native == std::endian::big) && element_size(*type) > 1;
  array->data = values.payload.data();
}

// Complex numbers, in Fortran order, of two arrays with their real and imaginary parts.
Array joined_parts(const Array& real, const Array& imaginary) {
  const auto line = [](const Array& part) {
    return samples::StridedView{.type = part.type,
                                .byte_swapped = part.byte_swapped,
                                .data = part.data,
                                .row = {.count = part.size(), .stride = 1, .offsets = {}},
                                .column = {.count = 1, .stride = 1, .offsets = {}}};
  };
  constexpr Index kBlock = 4096;
  Array array = real;
  array.type = ElementType::kC128;
  array.byte_swapped = false;
  const Index size = real.size();
  const auto values = memory::allocate(real.name, static_cast<std::size_t>(size) * element_size(array.type));
  std::array<double, kBlock> part;
  for (Index first = 0; first < size; first += kBlock) {
    const Index count = std::min(kBlock, size - first);
    for (const std::size_t place : {0, 1}) {
      samples::convert_rows(line(place == 0 ? real : imaginary), first, count, part.data());
      auto* to = reinterpret_cast<double*>(values.get()) + 2 * first + place;
      for (Index i = 0; i < count; ++i) to[2 * i] = part[static_cast<std::size_t>(i)];
    }
  }
  array.data = values.get();
  array.owner = values;
  return array;
}

}  // namespace

bool is_mat5_numeric(const Mat5Variable& variable) {
  return variable.matlab_class >= kFirstNumericClass && variable.matlab_class <= kLastNumericClass;
}

std::string mat5_class_name(const Mat5Variable& variable) {
  static constexpr std::array<const char*, 18> kNames = {"empty",  "cell",   "struct", "object", "char",     "sparse",
                                                         "double", "single", "int8",   "uint8",  "int16",    "uint16",
                                                         "int32",  "uint32", "int64",  "uint64", "function", "opaque"};
  if (variable.matlab_class >= kNames.size()) return fmt::format("number {}", variable.matlab_class);
  return (variable.complex ? "complex " : "") + std::string(kNames[variable.matlab_class]);
}

Mat5File::Mat5File(std::shared_ptr<const files::MappedFile> file, const std::string& path)
    : path_(path), file_(std::move(file)) {
  const auto bytes = file_->bytes();
  if (bytes.size() < kFileHeaderBytes) throw data_error(path, "truncated inside the MATLAB header of 128 bytes");
  big_endian_ = bytes[126] == std::byte{'M'};
  Mat5Cursor cursor(bytes.subspan(kFileHeaderBytes), big_endian_, path_);
  while (!cursor.at_end()) {
    const Mat5Element element = cursor.next_variable();
    add_variable(element.type, element.payload);
  }
}

void Mat5File::add_variable(std::uint32_t type, std::span<const std::byte> element) {
  if (type != kMatMatrix && type != kMatCompressed) {
    throw data_error(path_, fmt::format("element of type {}; legal: matrix (14), compressed (15)", type));
  }
  const bool compressed = type == kMatCompressed;
  std::vector<std::byte> start;
  if (compressed) {
    start.resize(kVariableHeaderBytes);
    start.resize(inflate_mat5(element, start, false, path_));
    static_cast<void>(inflated_bytes(start, element.size(), big_endian_, path_));
  }
  const auto header = compressed ? std::span<const std::byte>(start).subspan(kTagBytes) : element;
  if (header.empty()) return;  // an empty matrix element is legal and holds no variable
  Mat5Cursor cursor(header, big_endian_, path_);
  Mat5Variable variable = parse_header(cursor, path_);
  if (variable.name.empty()) return;  // internal data of objects and function handles
  variable.compressed = compressed;
  variable.element = element;
  variables_.push_back(std::move(variable));
}

Array Mat5File::read(const Mat5Variable& variable) const {
  Array array;
  array.name = path_ + ":" + variable.name;
  array.owner = file_;
  std::span<const std::byte> element = variable.element;
  if (variable.compressed) {
    std::array<std::byte, kTagBytes> tag;
    const std::size_t got = inflate_mat5(element, tag, false, array.name);
    const std::size_t bytes = inflated_bytes(std::span(tag).first(got), element.size(), big_endian_, array.name);
    const auto inflated = memory::allocate(array.name, bytes);
    inflate_mat5(element, {inflated.get(), bytes}, true, array.name);
    element = std::span<const std::byte>(inflated.get(), bytes).subspan(kTagBytes);
    array.owner = inflated;
  }
  Mat5Cursor cursor(element, big_endian_, array.name);
  const Mat5Variable header = parse_header(cursor, array.name);
  array.shape = header.shape;
  take_numbers(cursor, big_endian_, &array);
  if (!header.complex) return array;
  Array imaginary = array;
  take_numbers(cursor, big_endian_, &imaginary);
  return joined_parts(array, imaginary);
}

}  // namespace orthodict::formats
