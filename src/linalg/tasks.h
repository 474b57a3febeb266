// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "orthodict/types.h"

namespace orthodict::linalg {

// Runs task(0) … task(count − 1), each once, in any order and on any threads. Algorithms divide their work into tasks
// by its size alone, so that results don't depend on the threads.
using ForEach = std::function<void(Index count, const std::function<void(Index)>& task)>;

// Runs all tasks in the calling thread, in order.
inline void for_each_in_turn(Index count, const std::function<void(Index)>& task) {
  for (Index i = 0; i < count; ++i) task(i);
}

}  // namespace orthodict::linalg
