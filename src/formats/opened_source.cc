// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "files/input_file.h"
#include "files/large/streamed_samples.h"
#include "files/mapped_file.h"
#include "formats/registry.h"
#include "formats/source_file.h"
#include "memory/allocation.h"
#include "memory/limits.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "samples/sample_traits.h"

namespace orthodict {
namespace {

using formats::SourceFile;

struct Location {
  std::string path;
  std::string member;
};

// Splits "PATH:MEMBER" at the first colon that follows the suffix of a format with members. Other colons belong to the
// path.
Location split_member(const std::string& path) {
  for (std::size_t colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1)) {
    const std::string file = path.substr(0, colon);
    const formats::Format* format = formats::format_of_name(file);
    if (format != nullptr && !format->member.empty()) return {file, path.substr(colon + 1)};
  }
  return {path, ""};
}

SourceFile open_file(const Location& location) {
  files::InputFile file(location.path);
  auto start = file.start(SourceFile::kStart);
  const formats::Format* by_name = formats::format_of_name(location.path);
  const formats::Format* format = by_name != nullptr ? by_name : formats::format_of_start(start);
  return {.file = std::move(file), .member = location.member, .start = std::move(start), .format = format};
}

const formats::Format& format_of(const SourceFile& source) {
  if (source.format != nullptr) return *source.format;
  throw data_error(source.file.name(), "unknown format; legal: " + formats::legal_names());
}

// The samples in `located` must be contiguous.
std::unique_ptr<Samples> stream(files::InputFile file, const files::ArrayInFile& located, Layout layout) {
  const Array& array = located.array;
  const bool in_rows = layout == Layout::kRows;
  return files::stream_samples(std::move(file), located, in_rows ? array.columns() : array.rows(),
                               in_rows ? array.rows() : array.columns());
}

// Opens a large array whose samples are read when they are used, and moves from the file. Otherwise returns null and
// leaves the file alone.
std::unique_ptr<Samples> stream_if_large(SourceFile& source, Layout layout) {
  const formats::Format& format = format_of(source);
  if (format.unpack_large != nullptr) {
    const std::size_t most = source.file.size() * memory::kDeflateRatio;  // upper bound of its unpacked size
    if (layout != Layout::kRows || !memory::is_large(most)) return nullptr;
    auto large = format.unpack_large(source);
    if (!large || !samples::lie_in_order(large->located.array, layout)) return nullptr;
    return stream(large->unpacked ? *std::move(large->unpacked) : std::move(source.file), large->located, layout);
  }
  if (format.locate == nullptr || !memory::is_large(source.file.size())) return nullptr;
  const auto located = format.locate(source);
  if (!located || !samples::lie_in_order(located->array, layout)) return nullptr;
  return stream(std::move(source.file), *located, layout);
}

std::unique_ptr<Samples> read(SourceFile& source, Layout layout) {
  const formats::Format& format = format_of(source);
  if (auto sparse = format.read_sparse != nullptr ? format.read_sparse(source) : nullptr) {
    if (layout != Layout::kRows) throw data_error(source.file.name(), "a sparse matrix must have its samples in rows");
    return sparse;
  }
  if (auto streamed = stream_if_large(source, layout)) return streamed;
  const Array array = format.read(source);
  return layout == Layout::kRows ? samples_in_rows(array) : samples_in_columns(array);
}

void require_file(const OpenedSource& source) {
  if (source.is_folder()) throw data_error(source.path(), "is a directory; need a file");
}

}  // namespace

OpenedSource::OpenedSource(const std::string& path) : path_(path) {
  std::error_code ignored;  // opening the file reports the error
  if (std::filesystem::is_directory(path, ignored)) return;
  file_ = std::make_unique<SourceFile>(open_file(split_member(path)));
}
OpenedSource::OpenedSource(OpenedSource&&) noexcept = default;
OpenedSource& OpenedSource::operator=(OpenedSource&&) noexcept = default;
OpenedSource::~OpenedSource() = default;

template <>
std::span<const Named<Layout>> names_of() {
  static constexpr Named<Layout> kNames[] = {{Layout::kRows, "rows", "a sample is a row"},
                                             {Layout::kColumns, "columns", "a sample is a column"}};
  return kNames;
}

std::unique_ptr<Samples> read_raw_samples(const std::string& path, ElementType type, Index dimension) {
  files::InputFile file(path);
  const std::size_t size = element_size(type);
  if (dimension < 1 || static_cast<std::size_t>(dimension) > file.size() / size) {
    throw option_error("dimension", std::to_string(dimension), "from 1 to the number of values in " + path);
  }
  const std::size_t row = static_cast<std::size_t>(dimension) * size;
  if (file.size() % row != 0) {
    throw data_error(path, fmt::format("{} bytes, which isn't a multiple of a sample of {} numbers of type {}",
                                       file.size(), dimension, to_string(type)));
  }
  files::ArrayInFile located;
  located.array.type = type;
  located.array.shape = {static_cast<Index>(file.size() / row), dimension};
  located.array.name = path;
  if (memory::is_large(file.size())) {
    return memory::with_memory_errors(
        path, [&] { return files::stream_samples(std::move(file), located, dimension, located.array.rows()); });
  }
  auto mapped = std::make_shared<const files::MappedFile>(file);
  located.array.data = mapped->bytes().data();
  located.array.owner = std::move(mapped);
  return samples_in_rows(located.array);
}

Array read_array(OpenedSource source) {
  require_file(source);
  return memory::with_memory_errors(source.path(), [&] { return format_of(source.file()).read(source.file()); });
}
Array read_array(const std::string& path) { return read_array(OpenedSource(path)); }

std::unique_ptr<Samples> read_samples(OpenedSource source, Layout layout) {
  require_file(source);
  return memory::with_memory_errors(source.path(), [&] { return read(source.file(), layout); });
}
std::unique_ptr<Samples> read_samples(const std::string& path, Layout layout) {
  return read_samples(OpenedSource(path), layout);
}

}  // namespace orthodict
