// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/hdf5/hdf5.h"
#include "formats/hdf5/hdf5_file.h"
#include "formats/hdf5/isolation.h"
#include "formats/mat_variables.h"

namespace orthodict::formats {
namespace {

bool is_numeric_class(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNumeric = {
      "double", "single", "logical", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"};
  return std::find(kNumeric.begin(), kNumeric.end(), name) != kNumeric.end();
}

// Variables are the datasets at the root, with reversed indices and the class in an attribute. Sparse matrices and
// structs are groups. Complex matrices have pairs for elements.
Array read_variable(const files::InputFile& input, const std::string& member, const Storage& storage) {
  const std::string& path = input.name();
  const Hdf5File file(input, storage);
  std::vector<MatVariable> variables;
  for (const std::string& name : file.dataset_names()) {
    if (name.find('/', 1) != std::string::npos) continue;
    const bool empty = file.has_attribute(name, "MATLAB_empty");  // its dataset holds the shape instead
    const std::string matlab_class = file.text_attribute(name, "MATLAB_class");
    variables.push_back({name.substr(1), empty ? "empty" : matlab_class, !empty && is_numeric_class(matlab_class)});
  }
  const std::string& name = variables[choose_variable(variables, member, path)].name;
  Array array = file.read("/" + name);
  array.name = path + ":" + name;
  array.column_major = true;
  std::reverse(array.shape.begin(), array.shape.end());
  return array;
}

}  // namespace

Array read_mat73(const files::InputFile& file, const std::string& member) {
  const auto read = [&](const Storage& storage) {
    return std::optional(files::ArrayInFile{read_variable(file, member, storage)});
  };
  return read_isolated(file.name(), read)->array;
}

}  // namespace orthodict::formats
