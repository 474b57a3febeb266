// SPDX-License-Identifier: Apache-2.0
#include "data/mat.h"

#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "data/allocation.h"
#include "data/hdf5_session.h"
#include "data/mapped_file.h"
#include "data/mat_structure.h"
#include "data/message.h"
#include "orthodict/error.h"

namespace orthodict::data {
namespace {

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
using File = std::unique_ptr<mat_t, CloseFile>;

struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

std::optional<ElementType> type_of_class(matio_classes matlab_class) {
  switch (matlab_class) {
    case MAT_C_DOUBLE:
      return ElementType::kF64;
    case MAT_C_SINGLE:
      return ElementType::kF32;
    case MAT_C_INT8:
      return ElementType::kI8;
    case MAT_C_UINT8:
      return ElementType::kU8;
    case MAT_C_INT16:
      return ElementType::kI16;
    case MAT_C_UINT16:
      return ElementType::kU16;
    case MAT_C_INT32:
      return ElementType::kI32;
    case MAT_C_UINT32:
      return ElementType::kU32;
    case MAT_C_INT64:
      return ElementType::kI64;
    case MAT_C_UINT64:
      return ElementType::kU64;
    default:
      return std::nullopt;
  }
}

std::string class_name(const matvar_t& variable) {
  switch (variable.class_type) {
    case MAT_C_EMPTY:
      return "empty";
    case MAT_C_CELL:
      return "cell";
    case MAT_C_STRUCT:
      return "struct";
    case MAT_C_OBJECT:
      return "object";
    case MAT_C_CHAR:
      return "char";
    case MAT_C_SPARSE:
      return "sparse";
    case MAT_C_FUNCTION:
      return "function";
    case MAT_C_OPAQUE:
      return "opaque";
    default:
      return variable.isComplex != 0 ? "complex" : "numeric";
  }
}

bool is_readable(const matvar_t& variable) { return type_of_class(variable.class_type) && variable.isComplex == 0; }

std::string name_of(const matvar_t& variable) { return variable.name != nullptr ? variable.name : ""; }

// What the file says about its variables, without their data.
std::vector<Variable> variables_in(const File& file) {
  std::vector<Variable> variables;
  while (matvar_t* next = Mat_VarReadNextInfo(file.get())) variables.emplace_back(next);
  return variables;
}

std::string described(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const auto& variable : variables) names.push_back(name_of(*variable) + " (" + class_name(*variable) + ")");
  return names.empty() ? "no variables" : listed(names);
}

matvar_t& named(const std::vector<Variable>& variables, const std::string& member, const std::string& path) {
  for (const auto& variable : variables) {
    if (name_of(*variable) != member) continue;
    if (is_readable(*variable)) return *variable;
    throw data_error(path + ":" + member,
                     "is of class " + class_name(*variable) + "; need a real, full, numeric matrix");
  }
  throw data_error(path, "has no variable " + shown(member) + "; it has: " + described(variables));
}

matvar_t& only_numeric(const std::vector<Variable>& variables, const std::string& path) {
  const auto readable = [](const Variable& variable) { return is_readable(*variable); };
  const auto first = std::find_if(variables.begin(), variables.end(), readable);
  if (first == variables.end()) {
    throw data_error(path, "has no real, full, numeric matrix; it has: " + described(variables));
  }
  if (std::count_if(first, variables.end(), readable) > 1) {
    throw data_error(path, "has several matrices; name one, as " + path + ":" + name_of(**first) +
                               ". It has: " + described(variables));
  }
  return **first;
}

std::vector<Index> shape_of(const matvar_t& variable) {
  if (variable.dims == nullptr || variable.rank < 0) return {};
  std::vector<Index> shape;
  for (int d = 0; d < variable.rank; ++d) shape.push_back(static_cast<Index>(variable.dims[d]));
  return shape;
}

// A double may be stored in one byte, and that deflated.
void check_plausible(const Array& array, std::size_t bytes, std::size_t file_bytes) {
  constexpr std::size_t kNarrowing = 8;
  if (bytes / kNarrowing / kDeflateRatio > file_bytes) {
    throw data_error(array.name,
                     fmt::format("truncated: {} promised in a file of {} bytes", shape_text(array.shape), file_bytes));
  }
  require_memory(array.name, bytes);
}

Array read_variable(const File& file, const matvar_t& info, std::size_t file_bytes, const std::string& path) {
  Array array;
  array.name = path + ":" + name_of(info);
  array.type = *type_of_class(info.class_type);
  array.column_major = true;
  array.shape = shape_of(info);
  const auto bytes = array_bytes(array.shape, element_size(array.type));
  if (!bytes) throw data_error(array.name, "shape " + shape_text(array.shape) + " is beyond what can be addressed");
  check_plausible(array, *bytes, file_bytes);
  std::shared_ptr<matvar_t> variable(Mat_VarRead(file.get(), info.name), FreeVariable());
  const bool whole = variable && variable->class_type == info.class_type && variable->nbytes == *bytes &&
                     shape_of(*variable) == array.shape && (variable->data != nullptr || *bytes == 0);
  if (!whole) throw data_error(array.name, "its data cannot be read: truncated or damaged");
  array.data = static_cast<const std::byte*>(variable->data);
  array.owner = std::move(variable);
  return array;
}

}  // namespace

Array read_mat(const std::string& path, const std::string& member) {
  const MappedFile mapped(path);
  check_mat_structure(mapped.bytes(), path);
  const Hdf5Session session;
  const File file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw data_error(path, "isn't a whole MATLAB file (v5 to v7.3)");
  const auto variables = variables_in(file);
  const matvar_t& chosen = member.empty() ? only_numeric(variables, path) : named(variables, member, path);
  return read_variable(file, chosen, mapped.bytes().size(), path);
}

}  // namespace orthodict::data
