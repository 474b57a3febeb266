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
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x93NUMPY"sv;
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;  // NumPy's limit is 10000 bytes

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

// Splits "<f8" into '<', 'f', 8. Leaves kind 0, which no reader accepts, for other forms.
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

constexpr std::size_t kMostDimensions = 64;  // NumPy's limit

// Parses the Python dictionary literal of an .npy header, which must have descr, fortran_order and shape once each, in
// any order, and nothing else.
class DictParser {
 public:
  DictParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void parse(NpyHeader& header) {
    bool descr = false;
    bool order = false;
    bool shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string_literal();
      expect(':');
      if (key == "descr" && !descr) {
        header.descr = type_literal();
        descr = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = bool_literal();
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = tuple_literal();
        shape = true;
      } else {
        fail("unexpected key " + text::shown(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!text_.empty()) fail("unexpected " + text::shown(text_) + " after the dictionary");
    if (!descr || !order || !shape) fail("need descr, fortran_order and shape");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw data_error(name_, "bad .npy header: " + what); }

  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }

  bool accept(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("need '") + c + "' at " + text::shown(text_));
  }

  std::string string_literal() {
    skip_blanks();
    const char quote = text_.empty() ? '\0' : text_.front();
    if (quote != '\'' && quote != '"') fail("need a string at " + text::shown(text_));
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail("unclosed string " + text::shown(text_));
    std::string value(text_.substr(1, end - 1));
    if (value.find('\\') != std::string::npos) fail("unexpected escape in " + text::shown(value));
    text_.remove_prefix(end + 1);
    return value;
  }

  std::string type_literal() {
    skip_blanks();
    if (text_.starts_with('[') || text_.starts_with('(')) {
      throw data_error(name_, "structured dtype " + text::shown(text_) + "; need plain numbers");
    }
    return string_literal();
  }

  bool bool_literal() {
    skip_blanks();
    const bool value = text_.starts_with("True");
    if (!value && !text_.starts_with("False")) fail("fortran_order is " + text::shown(text_) + "; legal: True, False");
    text_.remove_prefix(value ? 4 : 5);
    return value;
  }

  std::vector<Index> tuple_literal() {
    std::vector<Index> values;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("need ',' or ')' at " + text::shown(text_));
      if (values.size() == kMostDimensions) fail("more than 64 dimensions");
      values.push_back(integer_literal());
      comma = accept(',');
    }
    if (values.size() == 1 && !comma) fail("shape is a number; need a tuple");
    return values;
  }

  Index integer_literal() {
    skip_blanks();
    Index value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0)
      fail("shape has " + text::shown(text_) + "; legal: integers from 0 to 2^63 - 1");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.starts_with('L')) text_.remove_prefix(1);  // a long integer of Python 2
    return value;
  }

  std::string_view text_;
  const std::string& name_;
};

// Appends to `bytes` until it has `total` bytes, the stream ends, or a stop is requested.
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
  if (!as_text(prefix).starts_with(kMagic))
    throw data_error(name, "isn't an .npy file: it doesn't begin with \\x93NUMPY");
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
  DictParser(as_text(bytes.subspan(start, header.data_offset - start)), name).parse(header);
  split_descr(header);
  return header;
}

ElementType npy_element_type(const NpyHeader& header, const std::string& name) {
  static constexpr std::pair<std::string_view, ElementType> kTypes[] = {
      {"b1", ElementType::kU8},  {"u1", ElementType::kU8},   {"u2", ElementType::kU16}, {"u4", ElementType::kU32},
      {"u8", ElementType::kU64}, {"i1", ElementType::kI8},   {"i2", ElementType::kI16}, {"i4", ElementType::kI32},
      {"i8", ElementType::kI64}, {"f2", ElementType::kF16},  {"f4", ElementType::kF32}, {"f8", ElementType::kF64},
      {"c8", ElementType::kC64}, {"c16", ElementType::kC128}};
  const std::string code = std::string(1, header.kind) + std::to_string(header.item_size);
  for (const auto& [known, type] : kTypes) {
    if (code == known) return type;
  }
  throw data_error(name, "dtype " + text::shown(header.descr) + "; legal: bool, u1 … u8, i1 … i8, f2, f4, f8, c8, c16");
}

std::size_t npy_data_bytes(const NpyHeader& header, const std::string& name) {
  const auto bytes = memory::array_bytes(header.shape, header.item_size);
  if (!bytes) throw data_error(name, "shape " + text::shape_text(header.shape) + " exceeds the address space");
  return *bytes;
}

void require_npy_data(const NpyHeader& header, std::size_t file_bytes, const std::string& name) {
  const std::size_t promised = npy_data_bytes(header, name);
  const std::size_t there = file_bytes - header.data_offset;
  if (promised > there) {
    throw data_error(name, fmt::format("truncated: header promises {} bytes of data, {} are there", promised, there));
  }
  if (promised < there && file_bytes != kUnknownSize) {
    throw data_error(name, fmt::format("continues after the {} bytes that its header promises", promised));
  }
}

namespace {

// `start` contains the header of a file of `size` bytes.
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

files::ArrayInFile locate_npy(const files::InputFile& file) {
  const std::size_t header_bytes = npy_data_offset(file.start(kNpyPrefix), file.name());
  return locate(file.start(header_bytes), file.size(), file.name());
}

Array read_npy(const files::InputFile& file) {
  auto mapped = std::make_shared<const files::MappedFile>(file);
  const auto bytes = mapped->bytes();
  return npy_array(bytes, std::move(mapped), file.name());
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
