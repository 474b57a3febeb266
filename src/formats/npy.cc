// SPDX-License-Identifier: Apache-2.0
#include "formats/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>
#include <utility>

#include "files/file_descriptor.h"
#include "files/mapped_file.h"
#include "formats/npy_dict.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x93NUMPY"sv;
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;  // numpy itself refuses beyond 10000 bytes

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

// "<f8" into '<', 'f', 8. What has another form keeps kind 0, which no reader takes.
void split_descr(NpyHeader& header) {
  std::string_view rest = header.descr;
  if (!rest.empty() && "<>|="sv.find(rest.front()) != std::string_view::npos) {
    header.byte_order = rest.front();
    rest.remove_prefix(1);
  }
  if (rest.size() < 2) return;
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), size);
  if (error != std::errc{} || end != rest.data() + rest.size()) return;
  header.kind = rest.front();
  header.item_size = header.kind == 'U' ? std::size_t{4} * size : size;
}

// Reads on until `bytes` has `total`, the stream ends, or a stop is requested.
void read_up_to(int descriptor, std::size_t total, const std::string& name, const std::stop_token& stop,
                std::string& bytes) {
  const std::size_t had = bytes.size();
  if (total <= had) return;
  bytes.resize(total);
  bytes.resize(had + files::read_stream(descriptor, std::as_writable_bytes(std::span(bytes)).subspan(had), name, stop));
}

}  // namespace

bool NpyHeader::byte_swapped() const {
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  return byte_order == kForeign;
}

std::size_t npy_data_offset(std::span<const std::byte> prefix, const std::string& name) {
  if (prefix.empty()) throw data_error(name, "is empty");
  if (!as_text(prefix).starts_with(kMagic)) throw data_error(name, "isn't an .npy file (no magic \\x93NUMPY)");
  if (prefix.size() < kNpyPrefix) throw data_error(name, "truncated inside the .npy header");
  const int major = std::to_integer<int>(prefix[6]);
  const int minor = std::to_integer<int>(prefix[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw data_error(name, fmt::format(".npy version {}.{}; legal: 1.0, 2.0, 3.0", major, minor));
  }
  const std::size_t width = major == 1 ? 2 : 4;
  const std::size_t length = little_endian(prefix.subspan(8, width));
  if (length > kLongestHeader) {
    throw data_error(name, fmt::format(".npy header of {} bytes; at most {} are legal", length, kLongestHeader));
  }
  return 8 + width + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  NpyHeader header;
  header.data_offset = npy_data_offset(bytes.first(std::min(bytes.size(), kNpyPrefix)), name);
  if (header.data_offset > bytes.size()) throw data_error(name, "truncated inside the .npy header");
  const std::size_t start = std::to_integer<int>(bytes[6]) == 1 ? 10 : 12;
  parse_npy_dict(as_text(bytes.subspan(start, header.data_offset - start)), name, header);
  split_descr(header);
  return header;
}

ElementType npy_element_type(const NpyHeader& header, const std::string& name) {
  static constexpr std::pair<std::string_view, ElementType> kTypes[] = {
      {"b1", ElementType::kU8},  {"u1", ElementType::kU8},  {"u2", ElementType::kU16}, {"u4", ElementType::kU32},
      {"u8", ElementType::kU64}, {"i1", ElementType::kI8},  {"i2", ElementType::kI16}, {"i4", ElementType::kI32},
      {"i8", ElementType::kI64}, {"f2", ElementType::kF16}, {"f4", ElementType::kF32}, {"f8", ElementType::kF64}};
  const std::string code = std::string(1, header.kind) + std::to_string(header.item_size);
  for (const auto& [known, type] : kTypes) {
    if (code == known) return type;
  }
  throw data_error(name, "dtype " + text::shown(header.descr) + "; legal: bool, u1 … u8, i1 … i8, f2, f4, f8");
}

std::size_t npy_data_bytes(const NpyHeader& header, const std::string& name) {
  const auto bytes = memory::array_bytes(header.shape, header.item_size);
  if (!bytes) throw data_error(name, "shape " + text::shape_text(header.shape) + " is beyond what can be addressed");
  return *bytes;
}

void require_npy_data(const NpyHeader& header, std::size_t file_bytes, const std::string& name) {
  const std::size_t promised = npy_data_bytes(header, name);
  const std::size_t there = file_bytes - header.data_offset;
  if (promised > there) {
    throw data_error(name, fmt::format("truncated: header promises {} bytes of data, {} are there", promised, there));
  }
  if (promised < there && file_bytes != kUnknownSize) {
    throw data_error(name, fmt::format("goes on behind the {} bytes that its header promises", promised));
  }
}

namespace {

// `start` has the header of a file of so many bytes.
files::ArrayInFile locate(std::span<const std::byte> start, std::size_t file_bytes, const std::string& name) {
  NpyHeader header = parse_npy_header(start, name);
  Array array;
  array.type = npy_element_type(header, name);
  require_npy_data(header, file_bytes, name);
  array.byte_swapped = header.byte_swapped() && element_size(array.type) > 1;
  array.column_major = header.fortran_order;
  array.shape = std::move(header.shape);
  array.name = name;
  return {std::move(array), header.data_offset};
}

}  // namespace

Array npy_array(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name) {
  auto [array, offset] = locate(bytes, bytes.size(), name);
  array.data = bytes.data() + offset;
  array.owner = std::move(owner);
  return array;
}

files::ArrayInFile locate_npy(const files::InputFile& file, const std::string& path) {
  const std::size_t header_bytes = npy_data_offset(file.start(kNpyPrefix), path);
  return locate(file.start(header_bytes), file.size(), path);
}

Array read_npy(const std::string& path) {
  auto file = std::make_shared<const files::MappedFile>(path);
  const auto bytes = file->bytes();
  return npy_array(bytes, std::move(file), path);
}

Array read_npy_stream_header(int descriptor, const std::string& name, const std::stop_token& stop) {
  std::string bytes;
  const auto view = [&bytes] { return std::as_bytes(std::span(bytes)); };
  read_up_to(descriptor, kNpyPrefix, name, stop, bytes);
  read_up_to(descriptor, npy_data_offset(view(), name), name, stop, bytes);
  return locate(view(), kUnknownSize, name).array;
}

std::string npy_header_text(const std::string& type_code, std::span<const Index> shape) {
  constexpr std::size_t kAlignment = 64;
  const char native = std::endian::native == std::endian::little ? '<' : '>';
  const char order = type_code.front() == 'S' ? '|' : native;
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': (", order, type_code);
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";
  const std::size_t unpadded = kMagic.size() + 4 + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace orthodict::formats
