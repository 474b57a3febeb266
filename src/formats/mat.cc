// SPDX-License-Identifier: Apache-2.0
#include "formats/mat.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "files/mapped_file.h"
#include "formats/hdf5/hdf5.h"
#include "formats/mat5.h"
#include "formats/mat_variables.h"
#include "orthodict/error.h"

namespace orthodict::formats {
namespace {

Array read_version5(std::shared_ptr<const files::MappedFile> mapped, const std::string& path,
                    const std::string& member) {
  const Mat5File file(std::move(mapped), path);
  std::vector<MatVariable> variables;
  for (const Mat5Variable& variable : file.variables()) {
    variables.push_back({variable.name, mat5_class_name(variable), is_mat5_numeric(variable)});
  }
  return file.read(file.variables()[choose_variable(variables, member, path)]);
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
  if (mark == "\0\2IM"sv || mark == "\2\0MI"sv) return read_mat73(file, member);
  throw data_error(path, "isn't a MATLAB file of version 5 to 7.3 (no version mark at byte 124)");
}

}  // namespace orthodict::formats
