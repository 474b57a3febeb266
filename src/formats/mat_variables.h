// SPDX-License-Identifier: Apache-2.0
// Which variable of a MATLAB file is meant, whatever its version.
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

// The one called `member`, or the only readable one when that is empty. Throws Error, naming `path`, if there is none.
[[nodiscard]] std::size_t choose_variable(const std::vector<MatVariable>& variables, const std::string& member,
                                          const std::string& path);

}  // namespace orthodict::formats
