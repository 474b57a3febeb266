// SPDX-License-Identifier: Apache-2.0
#include "formats/registry.h"

#include <fmt/format.h>

#include "formats/csr.h"
#include "formats/csv.h"
#include "formats/idx.h"
#include "formats/mat.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/source_file.h"
#include "orthodict/error.h"
#include "text/message.h"
#include "text/suffix.h"

namespace orthodict::formats {
namespace {

using namespace std::string_view_literals;
using Bytes = std::span<const std::byte>;

bool starts_with(Bytes bytes, std::string_view magic) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(magic);
}

Array read_npz(const SourceFile& source) {
  const NpzFile file(source.file);
  if (!source.member.empty()) return file.array(source.member);
  const std::string& path = source.file.name();
  const auto names = file.names();
  if (names.empty()) throw data_error(path, "has no arrays");
  if (names.size() > 1) {
    throw data_error(
        path, "has several arrays; name one, as " + path + ":" + names.front() + ". It has: " + text::listed(names));
  }
  return file.array(names.front());
}

std::unique_ptr<Samples> read_sparse_npz(const SourceFile& source) {
  if (!source.member.empty()) return nullptr;
  const NpzFile file(source.file);
  return is_sparse_matrix(file) ? csr_samples(file, source.file.name()) : nullptr;
}

std::optional<files::ArrayInFile> locate_plain_idx(const SourceFile& source) {
  if (is_gzip(source.start)) return std::nullopt;
  return locate_idx(source.file);
}

constexpr Format kFormats[] = {
    {.suffixes = {".npy"},
     .is_start = [](Bytes bytes) { return starts_with(bytes, "\x93NUMPY"); },
     .read = [](const SourceFile& source) { return read_npy(source.file); },
     .locate = [](const SourceFile& source) { return std::optional(locate_npy(source.file)); }},
    {.suffixes = {".npz"},
     .member = "array",
     .is_start = [](Bytes bytes) { return starts_with(bytes, "PK\3\4") || starts_with(bytes, "PK\5\6"); },
     .read = read_npz,
     .read_sparse = read_sparse_npz},
    {.suffixes = {".csv", ".tsv", ".txt"}, .read = [](const SourceFile& source) { return read_csv(source.file); }},
    {.suffixes = {".idx", ".idx.gz", "-ubyte", "-ubyte.gz"},
     .is_start = [](Bytes bytes) { return is_gzip(bytes) || is_idx(bytes); },
     .read = [](const SourceFile& source) { return read_idx(source.file); },
     .locate = locate_plain_idx},
    {.suffixes = {".mat"},
     .member = "variable",
     .is_start =
         [](Bytes bytes) {
           return starts_with(bytes, "MATLAB 5.0 MAT-file") || starts_with(bytes, "MATLAB 7.3 MAT-file");
         },
     .read = [](const SourceFile& source) { return read_mat(source.file, source.member); }},
    {.suffixes = {".h5", ".hdf5"},
     .member = "/dataset",
     .is_start = [](Bytes bytes) { return starts_with(bytes, "\x89HDF\r\n\x1a\n"); },
     .read = [](const SourceFile& source) { return read_hdf5(source.file, source.member); },
     .unpack_large = [](const SourceFile& source) { return locate_large_hdf5(source.file, source.member); }},
};

}  // namespace

std::span<const Format> all_formats() { return kFormats; }

const Format* format_of_name(std::string_view path) {
  for (const Format& format : kFormats) {
    for (const std::string_view suffix : format.suffixes) {
      if (!suffix.empty() && text::has_suffix(path, suffix)) return &format;
    }
  }
  return nullptr;
}

const Format* format_of_start(Bytes start) {
  for (const Format& format : kFormats) {
    if (format.is_start != nullptr && format.is_start(start)) return &format;
  }
  return nullptr;
}

std::string legal_names() {
  std::string list;
  for (const Format& format : kFormats) {
    for (const std::string_view suffix : format.suffixes) {
      if (suffix.empty()) continue;
      if (!list.empty()) list += ", ";
      list += suffix;
      if (!format.member.empty()) list += fmt::format("[:{}]", format.member);
    }
  }
  return list;
}

}  // namespace orthodict::formats
