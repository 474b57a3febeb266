// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
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
#include "formats/sample_stream.h"
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

enum class Format { kUnknown, kNpy, kNpz, kCsv, kIdx, kMat, kHdf5 };

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

Format format_of_contents(const std::string& path) {
  constexpr std::size_t kLongestMagic = 32;
  const std::vector<std::byte> bytes = files::InputFile(path).start(kLongestMagic);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x93NUMPY"sv)) return Format::kNpy;
  if (text.starts_with("PK\3\4"sv) || text.starts_with("PK\5\6"sv)) return Format::kNpz;
  if (text.starts_with("\x89HDF\r\n\x1a\n"sv)) return Format::kHdf5;
  if (text.starts_with("MATLAB 5.0 MAT-file"sv) || text.starts_with("MATLAB 7.3 MAT-file"sv)) return Format::kMat;
  if (formats::is_gzip(bytes) || formats::is_idx(bytes)) return Format::kIdx;
  throw data_error(path,
                   "unknown format; legal: .npy, .npz[:array], .csv, .tsv, .txt, .idx, .idx.gz, -ubyte, "
                   "-ubyte.gz, .mat[:variable], .h5[:/dataset], .hdf5[:/dataset], or \"-\" for an .npy stream");
}

Array read_npz(const std::string& path, const std::string& member) {
  const formats::NpzFile file(path);
  if (!member.empty()) return file.array(member);
  const auto names = file.names();
  if (names.empty()) throw data_error(path, "has no arrays");
  if (names.size() > 1) {
    throw data_error(
        path, "has several arrays; name one, as " + path + ":" + names.front() + ". It has: " + text::listed(names));
  }
  return file.array(names.front());
}

Format format_of(const std::string& path) {
  const Format by_name = format_of_name(path);
  return by_name == Format::kUnknown ? format_of_contents(path) : by_name;
}

Array read_located(const Location& location) {
  switch (format_of(location.path)) {
    case Format::kNpy:
      return formats::read_npy(location.path);
    case Format::kNpz:
      return read_npz(location.path, location.member);
    case Format::kCsv:
      return formats::read_csv(location.path);
    case Format::kIdx:
      return formats::read_idx(location.path);
    case Format::kMat:
      return formats::read_mat(location.path, location.member);
    case Format::kHdf5:
      return formats::read_hdf5(location.path, location.member);
    case Format::kUnknown:
      break;
  }
  throw data_error(location.path, "unknown format");
}

// Where the elements of an array are, if they lie in the file as they would in memory.
std::optional<files::ArrayInFile> locate(const files::InputFile& file, const Location& location) {
  switch (format_of(location.path)) {
    case Format::kNpy:
      return formats::locate_npy(file, location.path);
    case Format::kIdx:
      if (formats::is_gzip(file.start(2))) return std::nullopt;
      return formats::locate_idx(file, location.path);
    default:
      return std::nullopt;
  }
}

// Nothing unless the samples lie in the file one after the other.
std::unique_ptr<Samples> stream(files::InputFile file, const files::ArrayInFile& located, Layout layout) {
  const Array& array = located.array;
  if (!samples::lie_in_order(array, layout)) return nullptr;
  const bool in_rows = layout == Layout::kRows;
  return files::stream_samples(std::move(file), located, in_rows ? array.columns() : array.rows(),
                               in_rows ? array.rows() : array.columns());
}

// Nothing unless the samples of a large array can be read as they are used.
std::unique_ptr<Samples> stream_if_large(const std::string& path, Layout layout) {
  if (path == "-") return nullptr;
  const Location location = split_member(path);
  if (format_of(location.path) == Format::kHdf5) {
    const std::size_t most = files::InputFile(location.path).size() * memory::kDeflateRatio;  // that it unpacks to
    if (layout != Layout::kRows || !memory::is_large(most)) return nullptr;
    auto large = formats::locate_large_hdf5(location.path, location.member);
    return large ? stream(std::move(large->file), large->located, layout) : nullptr;
  }
  files::InputFile file(location.path);
  if (!memory::is_large(file.size())) return nullptr;
  const auto located = locate(file, location);
  return located ? stream(std::move(file), *located, layout) : nullptr;
}

}  // namespace

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

Array read_array(const std::string& path) {
  return memory::with_memory_errors(path, [&] {
    if (path == "-") return formats::read_npy_stream(STDIN_FILENO, "standard input");
    return read_located(split_member(path));
  });
}

std::unique_ptr<Samples> read_samples(const std::string& path, Layout layout) {
  if (format_of_name(path) == Format::kNpz) {
    const formats::NpzFile file(path);
    if (formats::is_sparse_matrix(file)) {
      if (layout != Layout::kRows) throw data_error(path, "a sparse matrix must have its samples in rows");
      return formats::csr_samples(file, path);
    }
  }
  if (auto streamed = memory::with_memory_errors(path, [&] { return stream_if_large(path, layout); })) return streamed;
  const Array array = read_array(path);
  return layout == Layout::kRows ? samples_in_rows(array) : samples_in_columns(array);
}

}  // namespace orthodict
