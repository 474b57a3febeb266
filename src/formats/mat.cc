// SPDX-License-Identifier: Apache-2.0
#include "formats/mat.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "files/mapped_file.h"
#include "formats/hdf5/hdf5_file.h"
#include "formats/hdf5/isolation.h"
#include "formats/mat5.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

struct Candidate {
  std::string name;
  std::string matlab_class;
  bool readable = false;  // real, full, numeric
};

std::string described(const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    names.push_back(candidate.name + " (" + candidate.matlab_class + ")");
  }
  return names.empty() ? "no variables" : text::listed(names);
}

std::size_t choose_named(const std::vector<Candidate>& candidates, const std::string& member, const std::string& path) {
  const auto chosen =
      std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.name == member; });
  if (chosen == candidates.end()) {
    throw data_error(path, "has no variable " + text::shown(member) + "; it has: " + described(candidates));
  }
  if (!chosen->readable) {
    throw data_error(path + ":" + member,
                     "is of class " + chosen->matlab_class + "; need a real, full, numeric matrix");
  }
  return static_cast<std::size_t>(chosen - candidates.begin());
}

// The one called `member`, or the only readable one when that is empty.
std::size_t choose(const std::vector<Candidate>& candidates, const std::string& member, const std::string& path) {
  if (!member.empty()) return choose_named(candidates, member, path);
  const auto readable = [](const Candidate& candidate) { return candidate.readable; };
  const auto first = std::find_if(candidates.begin(), candidates.end(), readable);
  if (first == candidates.end()) {
    throw data_error(path, "has no real, full, numeric matrix; it has: " + described(candidates));
  }
  if (std::count_if(first, candidates.end(), readable) > 1) {
    throw data_error(
        path, "has several matrices; name one, as " + path + ":" + first->name + ". It has: " + described(candidates));
  }
  return static_cast<std::size_t>(first - candidates.begin());
}

Array read_version5(std::shared_ptr<const files::MappedFile> mapped, const std::string& path,
                    const std::string& member) {
  const Mat5File file(std::move(mapped), path);
  std::vector<Candidate> candidates;
  for (const Mat5Variable& variable : file.variables()) {
    candidates.push_back({variable.name, mat5_class_name(variable), is_mat5_numeric(variable)});
  }
  return file.read(file.variables()[choose(candidates, member, path)]);
}

bool is_numeric_class(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNumeric = {
      "double", "single", "logical", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"};
  return std::find(kNumeric.begin(), kNumeric.end(), name) != kNumeric.end();
}

// Version 7.3 is HDF5: variables are the datasets at its root, indices reversed, class in an attribute. Sparse matrices
// and structs are groups; a complex matrix has pairs for elements, which the reading refuses.
Array read_version73(const files::InputFile& input, const std::string& member, const Storage& storage) {
  const std::string& path = input.name();
  const Hdf5File file(input, storage);
  std::vector<Candidate> candidates;
  for (const std::string& name : file.dataset_names()) {
    if (name.find('/', 1) != std::string::npos) continue;
    const bool empty = file.has_attribute(name, "MATLAB_empty");  // its dataset holds the shape instead
    const std::string matlab_class = file.text_attribute(name, "MATLAB_class");
    candidates.push_back({name.substr(1), empty ? "empty" : matlab_class, !empty && is_numeric_class(matlab_class)});
  }
  const std::string& name = candidates[choose(candidates, member, path)].name;
  Array array = file.read("/" + name);
  array.name = path + ":" + name;
  array.column_major = true;
  std::reverse(array.shape.begin(), array.shape.end());
  return array;
}

}  // namespace

Array read_mat(const files::InputFile& file, const std::string& member) {
  constexpr std::size_t kHeaderBytes = 128;
  const std::string& path = file.name();
  auto mapped = std::make_shared<const files::MappedFile>(file);
  const auto bytes = mapped->bytes();
  if (bytes.size() < kHeaderBytes) throw data_error(path, "isn't a MATLAB file of version 5 to 7.3: under 128 bytes");
  const std::string_view mark(reinterpret_cast<const char*>(bytes.data()) + 124, 4);
  using namespace std::string_view_literals;
  if (mark == "\0\1IM"sv || mark == "\1\0MI"sv) return read_version5(std::move(mapped), path, member);
  if (mark == "\0\2IM"sv || mark == "\2\0MI"sv) {
    const auto read = [&](const Storage& storage) {
      return std::optional(files::ArrayInFile{read_version73(file, member, storage)});
    };
    return read_isolated(path, read)->array;
  }
  throw data_error(path, "isn't a MATLAB file of version 5 to 7.3 (no version mark at byte 124)");
}

}  // namespace orthodict::formats
