// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5.h"

#include "formats/hdf5/hdf5_file.h"
#include "formats/hdf5/isolation.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

// `member`, or the only dataset if that is empty.
std::string dataset_in(const Hdf5File& file, const std::string& path, const std::string& member) {
  if (!member.empty()) return member;
  const auto names = file.dataset_names();
  if (names.empty()) throw data_error(path, "contains no dataset");
  if (names.size() > 1) {
    throw data_error(
        path, "has several datasets; name one, as " + path + ":" + names.front() + ". It has: " + text::listed(names));
  }
  return names.front();
}

}  // namespace

Array read_hdf5(const files::InputFile& input, const std::string& member) {
  const auto read = [&](const Storage& storage) {
    const Hdf5File file(input, storage);
    return std::optional(files::ArrayInFile{file.read(dataset_in(file, input.name(), member))});
  };
  return read_isolated(input.name(), read)->array;
}

std::optional<LargeHdf5> locate_large_hdf5(const files::InputFile& input, const std::string& member) {
  files::ScratchFile scratch(input.name());
  const auto located = read_isolated(input.name(), [&](const Storage& storage) {
    const Hdf5File file(input, storage);
    return file.locate_large(dataset_in(file, input.name(), member), &scratch);
  });
  if (!located) return std::nullopt;
  return LargeHdf5{*located, scratch.is_used() ? std::optional(scratch.open()) : std::nullopt};
}

}  // namespace orthodict::formats
