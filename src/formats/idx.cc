// SPDX-License-Identifier: Apache-2.0
#include "formats/idx.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "files/mapped_file.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

constexpr std::size_t kMagicBytes = 4;

std::optional<ElementType> type_of_code(std::byte code) {
  switch (std::to_integer<int>(code)) {
    case 0x08:
      return ElementType::kU8;
    case 0x09:
      return ElementType::kI8;
    case 0x0B:
      return ElementType::kI16;
    case 0x0C:
      return ElementType::kI32;
    case 0x0D:
      return ElementType::kF32;
    case 0x0E:
      return ElementType::kF64;
    default:
      return std::nullopt;
  }
}

// The size in bytes of magic number and sizes. Throws Error if the magic number is invalid.
std::size_t header_bytes(std::span<const std::byte> magic, const std::string& name) {
  if (magic.size() < kMagicBytes) throw data_error(name, "truncated inside the IDX header");
  if (is_idx(magic)) return kMagicBytes * (1 + std::to_integer<std::size_t>(magic[3]));
  const auto value = [&](std::size_t i) { return std::to_integer<int>(magic[i]); };
  throw data_error(name,
                   fmt::format("isn't IDX: magic number {:02x} {:02x} {:02x} {:02x}; legal: 00 00, a type of 08 09 "
                               "0b 0c 0d 0e, a number of dimensions from 1",
                               value(0), value(1), value(2), value(3)));
}

// Sets type and shape, but neither data nor owner.
Array parse_header(std::span<const std::byte> header, const std::string& name) {
  Array array;
  array.type = *type_of_code(header[2]);
  array.byte_swapped = std::endian::native == std::endian::little && element_size(array.type) > 1;
  array.name = name;
  for (std::size_t at = kMagicBytes; at < header.size(); at += 4) {
    Index extent = 0;
    for (std::size_t i = 0; i < 4; ++i) extent = extent << 8 | std::to_integer<Index>(header[at + i]);
    array.shape.push_back(extent);
  }
  return array;
}

std::size_t promised_bytes(const Array& array) {
  const auto bytes = memory::array_bytes(array.shape, element_size(array.type));
  if (!bytes) throw data_error(array.name, "shape " + text::shape_text(array.shape) + " exceeds the address space");
  return *bytes;
}

Error truncated(const Array& array, std::size_t promised, std::size_t there) {
  return data_error(array.name, fmt::format("truncated: header promises {} ({} bytes of data), {} bytes are there",
                                            text::shape_text(array.shape), promised, there));
}

// `start` contains the header of a file of `size` bytes.
files::ArrayInFile locate(std::span<const std::byte> start, std::size_t file_bytes, const std::string& path) {
  const std::size_t header = header_bytes(start.first(std::min(start.size(), kMagicBytes)), path);
  if (header > start.size()) throw data_error(path, "truncated inside the IDX header");
  Array array = parse_header(start.first(header), path);
  const std::size_t promised = promised_bytes(array);
  if (promised > file_bytes - header) throw truncated(array, promised, file_bytes - header);
  return {std::move(array), header};
}

class GzipReader {
 public:
  explicit GzipReader(const files::InputFile& file) : name_(file.name()), file_(open(file)) {}
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader() { gzclose_r(file_); }

  // Returns the number of bytes read, which is less than requested only at the end of the stream. There the checksum is
  // verified.
  std::size_t read(std::span<std::byte> to) {
    constexpr std::size_t kChunk = std::size_t{1} << 24;
    std::size_t total = 0;
    while (total < to.size()) {
      const int got = gzread(file_, to.data() + total, static_cast<unsigned>(std::min(kChunk, to.size() - total)));
      int code = Z_OK;
      const char* message = gzerror(file_, &code);
      if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
        throw data_error(name_, "damaged gzip: " + std::string(message));
      if (got == 0) break;
      total += static_cast<std::size_t>(got);
    }
    return total;
  }

 private:
  // Duplicates the descriptor, since gzclose() closes it.
  static gzFile open(const files::InputFile& file) {
    const int copy = fcntl(file.get(), F_DUPFD_CLOEXEC, 0);
    if (copy >= 0) lseek(copy, 0, SEEK_SET);
    gzFile opened = copy >= 0 ? gzdopen(copy, "rb") : nullptr;
    if (opened != nullptr) return opened;
    const int error = errno;
    if (copy >= 0) close(copy);
    throw data_error(file.name(), "cannot be opened: " + text::system_message(error));
  }

  const std::string& name_;
  gzFile file_;
};

Array inflate_idx(const files::InputFile& file) {
  const std::string& path = file.name();
  GzipReader reader(file);
  std::vector<std::byte> header(kMagicBytes);
  header.resize(reader.read(header));
  header.resize(header_bytes(header, path));
  const std::size_t sizes = reader.read(std::span(header).subspan(kMagicBytes));
  if (sizes < header.size() - kMagicBytes) throw data_error(path, "truncated inside the IDX header");
  Array array = parse_header(header, path);
  const std::size_t promised = promised_bytes(array);
  if (promised / memory::kDeflateRatio > file.size()) throw truncated(array, promised, file.size());
  auto data = memory::allocate(path, promised);
  const std::size_t got = reader.read({data.get(), promised});
  if (got < promised) throw truncated(array, promised, got);
  std::byte beyond{};
  reader.read({&beyond, 1});  // verifies the checksum at the end of the stream
  array.data = data.get();
  array.owner = std::move(data);
  return array;
}

}  // namespace

bool is_idx(std::span<const std::byte> start) {
  return start.size() >= kMagicBytes && start[0] == std::byte{0} && start[1] == std::byte{0} &&
         type_of_code(start[2]).has_value() && start[3] != std::byte{0};
}

bool is_gzip(std::span<const std::byte> start) {
  return start.size() >= 2 && start[0] == std::byte{0x1F} && start[1] == std::byte{0x8B};
}

files::ArrayInFile locate_idx(const files::InputFile& file) {
  const std::size_t header = header_bytes(file.start(kMagicBytes), file.name());
  return locate(file.start(header), file.size(), file.name());
}

Array read_idx(const files::InputFile& file) {
  if (is_gzip(file.start(kMagicBytes))) return inflate_idx(file);
  auto [array, offset] = locate_idx(file);
  auto mapped = std::make_shared<const files::MappedFile>(file);
  array.data = mapped->bytes().data() + offset;
  array.owner = std::move(mapped);
  return array;
}

}  // namespace orthodict::formats
