// SPDX-License-Identifier: Apache-2.0
// The calling thread's treatment of subnormal numbers, for the lifetime of an object.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace orthodict::simd {

#ifdef __x86_64__

class FloatingPointMode {
 public:
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;

 protected:
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  FloatingPointMode(unsigned set, unsigned cleared) : before_(_mm_getcsr()) { _mm_setcsr((before_ | set) & ~cleared); }
  ~FloatingPointMode() { _mm_setcsr(before_); }

 private:
  unsigned before_;
};

// Treats subnormals as zero. Arithmetic on them is a hundred times slower, and atoms without energy shrink to them.
class FlushSubnormals : FloatingPointMode {
 public:
  FlushSubnormals() : FloatingPointMode(kFlushToZero | kDenormalsAreZero, 0) {}
};

// Keeps subnormals: samples in single precision may be subnormal, and are normal numbers in double.
class KeepSubnormals : FloatingPointMode {
 public:
  KeepSubnormals() : FloatingPointMode(0, kDenormalsAreZero) {}
};

#else

class FlushSubnormals {};
class KeepSubnormals {};

#endif

}  // namespace orthodict::simd
