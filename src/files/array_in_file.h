// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "orthodict/array.h"

namespace orthodict::files {

// An array whose elements stay in its file, from byte `offset` on. `array` has neither data nor owner.
struct ArrayInFile {
  Array array;
  std::size_t offset = 0;
};

}  // namespace orthodict::files
