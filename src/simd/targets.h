// SPDX-License-Identifier: Apache-2.0
// Must be included before any Highway header, in every file that is compiled for several targets.
#pragma once

// The kernels hold vectors in arrays, which excludes targets with vectors of unknown length (SVE, RVV). On x86 three
// targets are compiled: SSE2, AVX2 and AVX3. Those between them have no other instructions that matter here.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
