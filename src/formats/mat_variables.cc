// SPDX-License-Identifier: Apache-2.0
#include "formats/mat_variables.h"

#include <algorithm>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

std::string described(const std::vector<MatVariable>& variables) {
  std::vector<std::string> names;
  names.reserve(variables.size());
  for (const MatVariable& variable : variables) {
    names.push_back(variable.name + " (" + variable.matlab_class + ")");
  }
  return names.empty() ? "no variables" : text::listed(names);
}

std::size_t choose_named(const std::vector<MatVariable>& variables, const std::string& member,
                         const std::string& path) {
  const auto chosen =
      std::find_if(variables.begin(), variables.end(), [&](const MatVariable& c) { return c.name == member; });
  if (chosen == variables.end()) {
    throw data_error(path, "has no variable " + text::shown(member) + "; it has: " + described(variables));
  }
  if (!chosen->readable) {
    throw data_error(path + ":" + member, "is of class " + chosen->matlab_class + "; need a full, numeric matrix");
  }
  return static_cast<std::size_t>(chosen - variables.begin());
}

}  // namespace

std::size_t choose_variable(const std::vector<MatVariable>& variables, const std::string& member,
                            const std::string& path) {
  if (!member.empty()) return choose_named(variables, member, path);
  const auto readable = [](const MatVariable& variable) { return variable.readable; };
  const auto first = std::find_if(variables.begin(), variables.end(), readable);
  if (first == variables.end()) {
    throw data_error(path, "has no full, numeric matrix; it has: " + described(variables));
  }
  if (std::count_if(first, variables.end(), readable) > 1) {
    throw data_error(
        path, "has several matrices; name one, as " + path + ":" + first->name + ". It has: " + described(variables));
  }
  return static_cast<std::size_t>(first - variables.begin());
}

}  // namespace orthodict::formats
