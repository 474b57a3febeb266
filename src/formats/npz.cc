// SPDX-License-Identifier: Apache-2.0
#include "formats/npz.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "formats/npy.h"
#include "formats/zip_archive.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "text/message.h"
#include "text/utf.h"

namespace orthodict::formats {
namespace {

constexpr std::string_view kSuffix = ".npy";

std::string entry_name(const std::string& name) { return name + std::string(kSuffix); }

std::string text_from_ucs4(std::span<const std::byte> bytes, bool swapped, const std::string& name) {
  std::u32string utf32(bytes.size() / 4, U'\0');
  for (std::size_t i = 0; i < utf32.size(); ++i) {
    std::uint32_t c = 0;
    std::memcpy(&c, bytes.data() + 4 * i, 4);
    utf32[i] = swapped ? __builtin_bswap32(c) : c;
  }
  while (!utf32.empty() && utf32.back() == U'\0') utf32.pop_back();  // NumPy pads with NULs
  auto utf8 = text::utf8_from_utf32(utf32);
  if (!utf8) throw data_error(name, "text with an invalid Unicode code point");
  return *std::move(utf8);
}

std::string text_from_bytes(std::span<const std::byte> bytes) {
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string npy_bytes(const std::string& type_code, std::span<const Index> shape, std::span<const std::byte> data) {
  std::string bytes = npy_header_text(type_code, shape);
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  return bytes;
}

template <typename Element>
std::string npy_vector(std::span<const Element> values) {
  const char kind = std::is_floating_point_v<Element> ? 'f' : 'i';
  const Index shape[] = {static_cast<Index>(values.size())};
  return npy_bytes(kind + std::to_string(sizeof(Element)), shape, std::as_bytes(values));
}

}  // namespace

NpzFile::NpzFile(const files::InputFile& file) : path_(file.name()) {
  file_ = std::make_shared<files::MappedFile>(file);
  bytes_ = file_->bytes();
  list_members();
}

NpzFile::NpzFile(std::span<const std::byte> bytes, std::string name) : path_(std::move(name)), bytes_(bytes) {
  list_members();
}

void NpzFile::list_members() {
  memory::with_memory_errors(path_, [&] {
    const auto names = ZipReader(bytes_, path_).names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string name = names[i];
      if (!name.ends_with(kSuffix)) continue;
      name.resize(name.size() - kSuffix.size());
      members_.push_back({std::move(name), i});
    }
  });
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const Member& member : members_) names.push_back(member.name);
  return names;
}

bool NpzFile::contains(const std::string& name) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) { return member.name == name; });
}

NpzFile::Contents NpzFile::read(const std::string& name) const {
  const auto member =
      std::find_if(members_.begin(), members_.end(), [&](const Member& candidate) { return candidate.name == name; });
  if (member == members_.end()) {
    throw data_error(path_, "has no array " + text::shown(name) + "; it has: " + text::listed(names()));
  }
  auto contents = ZipReader(bytes_, path_).read(member->index, path_ + ":" + name);
  return {{contents.data.get(), contents.size}, std::move(contents.data)};
}

Array NpzFile::array(const std::string& name) const {
  Contents contents = read(name);
  return npy_array(contents.bytes, std::move(contents.owner), path_ + ":" + name);
}

std::string NpzFile::text(const std::string& name) const {
  const std::string label = path_ + ":" + name;
  const Contents contents = read(name);
  const NpyHeader header = parse_npy_header(contents.bytes, label);
  const bool is_text = header.kind == 'U' || header.kind == 'S';
  if (!is_text || !header.shape.empty()) {
    throw data_error(label, "dtype " + text::shown(header.descr) + " of " + std::to_string(header.shape.size()) +
                                " dimensions; need one text (0 dimensions, <U or |S)");
  }
  require_npy_data(header, contents.bytes.size(), label);
  const auto data = contents.bytes.subspan(header.data_offset, header.item_size);
  return header.kind == 'U' ? text_from_ucs4(data, header.byte_swapped(), label) : text_from_bytes(data);
}

void NpzBuilder::add(const std::string& name, const RowMatrix<double>& matrix) {
  const Index shape[] = {matrix.rows(), matrix.cols()};
  const std::span<const double> values(matrix.data(), static_cast<std::size_t>(matrix.size()));
  members_.emplace_back(entry_name(name), npy_bytes("f8", shape, std::as_bytes(values)));
}

void NpzBuilder::add(const std::string& name, const Vector<double>& vector) {
  add(name, std::span<const double>(vector.data(), static_cast<std::size_t>(vector.size())));
}

void NpzBuilder::add(const std::string& name, std::span<const float> values) {
  members_.emplace_back(entry_name(name), npy_vector(values));
}

void NpzBuilder::add(const std::string& name, std::span<const double> values) {
  members_.emplace_back(entry_name(name), npy_vector(values));
}

void NpzBuilder::add(const std::string& name, std::span<const std::int32_t> values) {
  members_.emplace_back(entry_name(name), npy_vector(values));
}

void NpzBuilder::add(const std::string& name, std::span<const std::int64_t> values) {
  members_.emplace_back(entry_name(name), npy_vector(values));
}

void NpzBuilder::add_complex(const std::string& name, const RowMatrix<double>& interleaved) {
  const Index shape[] = {interleaved.rows(), interleaved.cols() / 2};
  const std::span<const double> values(interleaved.data(), static_cast<std::size_t>(interleaved.size()));
  members_.emplace_back(entry_name(name), npy_bytes("c16", shape, std::as_bytes(values)));
}

void NpzBuilder::add_complex(const std::string& name, const Vector<double>& interleaved) {
  const Index shape[] = {interleaved.size() / 2};
  const std::span<const double> values(interleaved.data(), static_cast<std::size_t>(interleaved.size()));
  members_.emplace_back(entry_name(name), npy_bytes("c16", shape, std::as_bytes(values)));
}

void NpzBuilder::add_text(const std::string& name, const std::string& utf8) {
  auto utf32 = text::utf32_from_utf8(utf8);
  if (!utf32) throw data_error(name, "text that isn't UTF-8: " + text::shown(utf8));
  if (utf32->empty()) utf32->push_back(U'\0');  // NumPy has no strings of width 0
  members_.emplace_back(entry_name(name),
                        npy_bytes("U" + std::to_string(utf32->size()), {}, std::as_bytes(std::span(*utf32))));
}

void NpzBuilder::add_bytes(const std::string& name, const std::string& ascii) {
  const std::string padded = ascii.empty() ? std::string(1, '\0') : ascii;
  members_.emplace_back(entry_name(name),
                        npy_bytes("S" + std::to_string(padded.size()), {}, std::as_bytes(std::span(padded))));
}

std::string NpzBuilder::finish() const {
  return memory::with_memory_errors("archive", [&] { return zip_stored(members_); });
}

}  // namespace orthodict::formats
