// SPDX-License-Identifier: Apache-2.0
// The entry point of libFuzzer. The environment variable ORTHODICT_FUZZ selects the target.
#include <cstdlib>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const kTarget = std::getenv("ORTHODICT_FUZZ");
  if (kTarget == nullptr) std::abort();
  orthodict::fuzz::run(kTarget, {data, size});
  return 0;
}
