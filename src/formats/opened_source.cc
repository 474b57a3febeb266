// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "files/input_file.h"
#include "files/large/streamed_samples.h"
#include "files/mapped_file.h"
#include "formats/csr.h"
#include "formats/csv.h"
#include "formats/hdf5/hdf5.h"
#include "formats/idx.h"
#include "formats/mat.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/source_file.h"
#include "memory/allocation.h"
#include "memory/limits.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "samples/sample_traits.h"
#include "text/message.h"
#include "text/suffix.h"

namespace orthodict {
namespace {

using namespace std::string_view_literals;
using formats::Format;
using formats::SourceFile;

struct Suffix {
  std::string_view text;
  Format format;
};

constexpr Suffix kSuffixes[] = {
    {".npy", Format::kNpy},      {".npz", Format::kNpz}, {".csv", Format::kCsv},   {".tsv", Format::kCsv},
    {".txt", Format::kCsv},      {".idx", Format::kIdx}, {"-ubyte", Format::kIdx}, {".idx.gz", Format::kIdx},
    {"-ubyte.gz", Format::kIdx}, {".mat", Format::kMat}, {".h5", Format::kHdf5},   {".hdf5", Format::kHdf5},
};

Format format_of_name(const std::string& path) {
  for (const auto& [text, format] : kSuffixes) {
    if (text::has_suffix(path, text)) return format;
  }
  return Format::kUnknown;
}

bool has_members(Format format) { return format == Format::kNpz || format == Format::kMat || format == Format::kHdf5; }

struct Location {
  std::string path;
  std::string member;
};

// Cuts at the first colon behind the name of a file that can have members: any other colon is part of the path.
Location split_member(const std::string& path) {
  for (std::size_t colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1)) {
    const std::string file = path.substr(0, colon);
    if (has_members(format_of_name(file))) return {file, path.substr(colon + 1)};
  }
  return {path, ""};
}

Format format_of_start(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.starts_with("\x93NUMPY"sv)) return Format::kNpy;
  if (text.starts_with("PK\3\4"sv) || text.starts_with("PK\5\6"sv)) return Format::kNpz;
  if (text.starts_with("\x89HDF\r\n\x1a\n"sv)) return Format::kHdf5;
  if (text.starts_with("MATLAB 5.0 MAT-file"sv) || text.starts_with("MATLAB 7.3 MAT-file"sv)) return Format::kMat;
  if (formats::is_gzip(start) || formats::is_idx(start)) return Format::kIdx;
  return Format::kUnknown;
}

SourceFile open_file(const Location& location) {
  files::InputFile file(location.path);
  auto start = file.start(SourceFile::kStart);
  const Format by_name = format_of_name(location.path);
  const Format format = by_name == Format::kUnknown ? format_of_start(start) : by_name;
  return {.file = std::move(file), .member = location.member, .start = std::move(start), .format = format};
}

Array read_member(const formats::NpzFile& file, const std::string& path, const std::string& member) {
  if (!member.empty()) return file.array(member);
  const auto names = file.names();
  if (names.empty()) throw data_error(path, "has no arrays");
  if (names.size() > 1) {
    throw data_error(
        path, "has several arrays; name one, as " + path + ":" + names.front() + ". It has: " + text::listed(names));
  }
  return file.array(names.front());
}

Array read(const SourceFile& source) {
  const std::string& path = source.file.name();
  switch (source.format) {
    case Format::kNpy:
      return formats::read_npy(source.file);
    case Format::kNpz:
      return read_member(formats::NpzFile(source.file), path, source.member);
    case Format::kCsv:
      return formats::read_csv(source.file);
    case Format::kIdx:
      return formats::read_idx(source.file);
    case Format::kMat:
      return formats::read_mat(source.file, source.member);
    case Format::kHdf5:
      return formats::read_hdf5(source.file, source.member);
    case Format::kUnknown:
      break;
  }
  throw data_error(path,
                   "unknown format; legal: .npy, .npz[:array], .csv, .tsv, .txt, .idx, .idx.gz, -ubyte, "
                   "-ubyte.gz, .mat[:variable], .h5[:/dataset], .hdf5[:/dataset]");
}

// Where the elements of an array are, if they lie in the file as they would in memory.
std::optional<files::ArrayInFile> locate(const SourceFile& source) {
  if (source.format == Format::kNpy) return formats::locate_npy(source.file);
  if (source.format == Format::kIdx && !formats::is_gzip(source.start)) return formats::locate_idx(source.file);
  return std::nullopt;
}

// Of an array whose samples lie in the file one after the other.
std::unique_ptr<Samples> stream(files::InputFile file, const files::ArrayInFile& located, Layout layout) {
  const Array& array = located.array;
  const bool in_rows = layout == Layout::kRows;
  return files::stream_samples(std::move(file), located, in_rows ? array.columns() : array.rows(),
                               in_rows ? array.rows() : array.columns());
}

// Null unless the samples of a large array can be read as they are used; only then is the file taken.
std::unique_ptr<Samples> stream_if_large(SourceFile& source, Layout layout) {
  if (source.format == Format::kHdf5) {
    const std::size_t most = source.file.size() * memory::kDeflateRatio;  // that it unpacks to
    if (layout != Layout::kRows || !memory::is_large(most)) return nullptr;
    auto large = formats::locate_large_hdf5(source.file, source.member);
    if (!large || !samples::lie_in_order(large->located.array, layout)) return nullptr;
    return stream(large->unpacked ? *std::move(large->unpacked) : std::move(source.file), large->located, layout);
  }
  if (!memory::is_large(source.file.size())) return nullptr;
  const auto located = locate(source);
  if (!located || !samples::lie_in_order(located->array, layout)) return nullptr;
  return stream(std::move(source.file), *located, layout);
}

std::unique_ptr<Samples> samples_of(const Array& array, Layout layout) {
  return layout == Layout::kRows ? samples_in_rows(array) : samples_in_columns(array);
}

std::unique_ptr<Samples> read(SourceFile& source, Layout layout) {
  if (source.format == Format::kNpz && source.member.empty()) {
    const std::string& path = source.file.name();
    const formats::NpzFile file(source.file);
    if (!formats::is_sparse_matrix(file)) return samples_of(read_member(file, path, ""), layout);
    if (layout != Layout::kRows) throw data_error(path, "a sparse matrix must have its samples in rows");
    return formats::csr_samples(file, path);
  }
  if (auto streamed = stream_if_large(source, layout)) return streamed;
  return samples_of(read(source), layout);
}

void require_file(const OpenedSource& source) {
  if (source.is_folder()) throw data_error(source.path(), "is a directory; need a file");
}

}  // namespace

OpenedSource::OpenedSource(const std::string& path) : path_(path) {
  std::error_code ignored;  // then opening the file says what is wrong
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
    throw option_error("dimension", std::to_string(dimension), "from 1 to the numbers in " + path);
  }
  const std::size_t row = static_cast<std::size_t>(dimension) * size;
  if (file.size() % row != 0) {
    throw data_error(path, fmt::format("{} bytes, which aren't whole samples of {} numbers of type {}", file.size(),
                                       dimension, to_string(type)));
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
  return memory::with_memory_errors(source.path(), [&] { return read(source.file()); });
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
