// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5.h"

#include <utility>

#include "data/hdf5_file.h"
#include "data/isolation.h"
#include "data/message.h"
#include "orthodict/error.h"

namespace orthodict::data {

namespace {

// The one that is named, or else the only one.
std::string dataset_in(const Hdf5File& file, const std::string& path, const std::string& member) {
  if (!member.empty()) return member;
  const auto names = file.dataset_names();
  if (names.empty()) throw data_error(path, "has no dataset");
  if (names.size() > 1) {
    throw data_error(path,
                     "has several datasets; name one, as " + path + ":" + names.front() + ". It has: " + listed(names));
  }
  return names.front();
}

}  // namespace

Array read_hdf5(const std::string& path, const std::string& member) {
  return read_isolated(path,
                       [&](const Storage& storage) {
                         const Hdf5File file(path, storage);
                         return std::optional(ArrayInFile{file.read(dataset_in(file, path, member))});
                       })
      ->array;
}

std::optional<LargeHdf5> locate_large_hdf5(const std::string& path, const std::string& member) {
  InputFile input(path);
  ScratchFile scratch(path);
  const auto located = read_isolated(path, [&](const Storage& storage) {
    const Hdf5File file(input, storage);
    return file.locate_large(dataset_in(file, path, member), &scratch);
  });
  if (!located) return std::nullopt;
  return LargeHdf5{*located, scratch.is_used() ? scratch.open() : std::move(input)};
}

}  // namespace orthodict::data
