// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "data/allocation.h"
#include "data/csr.h"
#include "data/csv.h"
#include "data/hdf5.h"
#include "data/idx.h"
#include "data/mapped_file.h"
#include "data/mat.h"
#include "data/message.h"
#include "data/npy.h"
#include "data/npz.h"
#include "data/suffix.h"
#include "orthodict/error.h"
#include "orthodict/io.h"

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
    if (data::has_suffix(path, text)) return format;
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
  const data::MappedFile file(path);
  const auto bytes = file.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x93NUMPY"sv)) return Format::kNpy;
  if (text.starts_with("PK\3\4"sv) || text.starts_with("PK\5\6"sv)) return Format::kNpz;
  if (text.starts_with("\x89HDF\r\n\x1a\n"sv)) return Format::kHdf5;
  if (text.starts_with("MATLAB 5.0 MAT-file"sv) || text.starts_with("MATLAB 7.3 MAT-file"sv)) return Format::kMat;
  if (data::is_gzip(bytes) || data::is_idx(bytes)) return Format::kIdx;
  throw data_error(path,
                   "unknown format; legal: .npy, .npz[:array], .csv, .tsv, .txt, .idx, .idx.gz, -ubyte, "
                   "-ubyte.gz, .mat[:variable], .h5[:/dataset], .hdf5[:/dataset], or \"-\" for an .npy stream");
}

Array read_npz(const std::string& path, const std::string& member) {
  const data::NpzFile file(path);
  if (!member.empty()) return file.array(member);
  const auto names = file.names();
  if (names.empty()) throw data_error(path, "has no arrays");
  if (names.size() > 1) {
    throw data_error(
        path, "has several arrays; name one, as " + path + ":" + names.front() + ". It has: " + data::listed(names));
  }
  return file.array(names.front());
}

Array read_located(const Location& location) {
  const Format by_name = format_of_name(location.path);
  const Format format = by_name == Format::kUnknown ? format_of_contents(location.path) : by_name;
  switch (format) {
    case Format::kNpy:
      return data::read_npy(location.path);
    case Format::kNpz:
      return read_npz(location.path, location.member);
    case Format::kCsv:
      return data::read_csv(location.path);
    case Format::kIdx:
      return data::read_idx(location.path);
    case Format::kMat:
      return data::read_mat(location.path, location.member);
    case Format::kHdf5:
      return data::read_hdf5(location.path, location.member);
    case Format::kUnknown:
      break;
  }
  throw data_error(location.path, "unknown format");
}

}  // namespace

Array read_array(const std::string& path) {
  return data::with_memory_errors(path, [&] {
    if (path == "-") return data::read_npy_stream(STDIN_FILENO, "standard input");
    return read_located(split_member(path));
  });
}

std::unique_ptr<Samples> read_samples(const std::string& path, Layout layout) {
  if (format_of_name(path) == Format::kNpz) {
    const data::NpzFile file(path);
    if (data::is_sparse_matrix(file)) {
      if (layout != Layout::kRows) throw data_error(path, "a sparse matrix must have its samples in rows");
      return data::csr_samples(file, path);
    }
  }
  const Array array = read_array(path);
  return layout == Layout::kRows ? samples_in_rows(array) : samples_in_columns(array);
}

}  // namespace orthodict
