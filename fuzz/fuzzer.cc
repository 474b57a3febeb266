// SPDX-License-Identifier: Apache-2.0
// Where libFuzzer calls. Which target is in the environment: ORTHODICT_FUZZ.
#include <cstdlib>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kTarget = std::getenv("ORTHODICT_FUZZ");
  if (kTarget == nullptr) std::abort();
  orthodict::fuzz::run(kTarget, {data, size});
  return 0;
}
