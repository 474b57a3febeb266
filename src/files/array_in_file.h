// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "orthodict/array.h"

namespace orthodict::files {

// An array that stays in its file: `array` has everything but data and owner, and the elements start at `offset`.
struct ArrayInFile {
  Array array;
  std::size_t offset = 0;
};

}  // namespace orthodict::files
