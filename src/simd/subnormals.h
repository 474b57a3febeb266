// SPDX-License-Identifier: Apache-2.0
// How this thread treats numbers below the smallest normal one, as long as an object lives.
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

// They are taken as zero: they cost a hundred times as much as others, and atoms that carry no energy shrink to them.
class FlushSubnormals : FloatingPointMode {
 public:
  FlushSubnormals() : FloatingPointMode(kFlushToZero | kDenormalsAreZero, 0) {}
};

// They are taken for what they are: samples in single precision may be that small, and are normal in double.
class KeepSubnormals : FloatingPointMode {
 public:
  KeepSubnormals() : FloatingPointMode(0, kDenormalsAreZero) {}
};

#else

class FlushSubnormals {};
class KeepSubnormals {};

#endif

}  // namespace orthodict::simd
