// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simd/targets.h"
//
#include "hwy/highway.h"

namespace orthodict::test {

// Runs `check` with each compiled kind of vector instructions that this processor supports.
template <typename Check>
void for_each_simd_target(const Check& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();  // chooses anew at the next call
    check(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace orthodict::test
