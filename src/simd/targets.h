// SPDX-License-Identifier: Apache-2.0
// To be included before any Highway header, in every file that is compiled for several targets.
#pragma once

// Vectors whose length isn't known at compile time can't be held in arrays, which the kernels do. SSSE3 next to SSE4,
// and later kinds of AVX3 next to the first, have nothing that matters here.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL)
