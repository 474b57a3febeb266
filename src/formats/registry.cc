// SPDX-License-Identifier: Apache-2.0
#include "formats/registry.h"

#include <fmt/format.h>

#include <vector>

#include "formats/csv.h"
#include "formats/idx.h"
#include "formats/mat.h"
#include "formats/npy.h"
#include "formats/npz.h"
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

Array read_npz(const std::string& path, const std::string& member) {
  const NpzFile file(path);
  if (!member.empty()) return file.array(member);
  const auto names = file.names();
  if (names.empty()) throw data_error(path, "has no arrays");
  if (names.size() > 1) {
    throw data_error(
        path, "has several arrays; name one, as " + path + ":" + names.front() + ". It has: " + text::listed(names));
  }
  return file.array(names.front());
}

std::optional<files::ArrayInFile> locate_plain_idx(const files::InputFile& file, const std::string& path) {
  if (is_gzip(file.start(2))) return std::nullopt;
  return locate_idx(file, path);
}

constexpr Format kFormats[] = {
    {.suffixes = {".npy"},
     .is_start = [](Bytes bytes) { return starts_with(bytes, "\x93NUMPY"); },
     .read = [](const std::string& path, const std::string&) { return read_npy(path); },
     .locate = [](const files::InputFile& file,
                  const std::string& path) { return std::optional(locate_npy(file, path)); }},
    {.suffixes = {".npz"},
     .member = "array",
     .is_start = [](Bytes bytes) { return starts_with(bytes, "PK\3\4") || starts_with(bytes, "PK\5\6"); },
     .read = read_npz},
    {.suffixes = {".csv", ".tsv", ".txt"},
     .read = [](const std::string& path, const std::string&) { return read_csv(path); }},
    {.suffixes = {".idx", ".idx.gz", "-ubyte", "-ubyte.gz"},
     .is_start = [](Bytes bytes) { return is_gzip(bytes) || is_idx(bytes); },
     .read = [](const std::string& path, const std::string&) { return read_idx(path); },
     .locate = locate_plain_idx},
    {.suffixes = {".mat"},
     .member = "variable",
     .is_start =
         [](Bytes bytes) {
           return starts_with(bytes, "MATLAB 5.0 MAT-file") || starts_with(bytes, "MATLAB 7.3 MAT-file");
         },
     .read = read_mat},
    {.suffixes = {".h5", ".hdf5"},
     .member = "/dataset",
     .is_start = [](Bytes bytes) { return starts_with(bytes, "\x89HDF\r\n\x1a\n"); },
     .read = read_hdf5,
     .unpack_large = locate_large_hdf5},
};

// ".npy, .npz[:array], …"
std::string legal_names() {
  std::string list;
  for (const Format& format : kFormats) {
    for (const std::string_view suffix : format.suffixes) {
      if (suffix.empty()) continue;
      list += suffix;
      if (!format.member.empty()) list += fmt::format("[:{}]", format.member);
      list += ", ";
    }
  }
  return list + "or \"-\" for an .npy stream";
}

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

const Format& format_of(const std::string& path) {
  if (const Format* by_name = format_of_name(path)) return *by_name;
  const std::vector<std::byte> bytes = files::InputFile(path).start(kLongestStart);
  for (const Format& format : kFormats) {
    if (format.is_start != nullptr && format.is_start(bytes)) return format;
  }
  throw data_error(path, "unknown format; legal: " + legal_names());
}

}  // namespace orthodict::formats
