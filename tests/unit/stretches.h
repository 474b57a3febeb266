// SPDX-License-Identifier: Apache-2.0
// The stretches to test: all in the table of built-in ones.
#pragma once

#include <vector>

#include "stretch/built_in.h"

namespace orthodict::test {

inline std::vector<const char*> stretch_examples() {
  std::vector<const char*> names;
  for (const stretch::BuiltIn& row : stretch::built_in_stretches()) {
    for (const char* name : row.examples) {
      if (name != nullptr) names.push_back(name);
    }
  }
  return names;
}

// One of each kind.
inline std::vector<const char*> stretch_kinds() {
  std::vector<const char*> names;
  for (const stretch::BuiltIn& row : stretch::built_in_stretches()) names.push_back(row.examples[0]);
  return names;
}

}  // namespace orthodict::test
