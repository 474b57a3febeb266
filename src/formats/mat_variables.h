// SPDX-License-Identifier: Apache-2.0
// Choice of a variable in a MATLAB file of any version.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orthodict::formats {

struct MatVariable {
  std::string name;
  std::string matlab_class;
  bool readable = false;  // real, full, numeric
};

// The variable `member`, or the only readable one if `member` is empty. Throws Error that names `path` if there is
// none.
[[nodiscard]] std::size_t choose_variable(const std::vector<MatVariable>& variables, const std::string& member,
                                          const std::string& path);

}  // namespace orthodict::formats
