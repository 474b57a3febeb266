// SPDX-License-Identifier: Apache-2.0
#include "samples/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "orthodict/error.h"
#include "simd/subnormals.h"

namespace orthodict::samples {
namespace {

template <std::size_t kSize>
using Bits = std::conditional_t<
    kSize == 1, std::uint8_t,
    std::conditional_t<kSize == 2, std::uint16_t, std::conditional_t<kSize == 4, std::uint32_t, std::uint64_t>>>;

std::uint8_t swapped(std::uint8_t bits) { return bits; }
std::uint16_t swapped(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }

// Loads an element, which needn't be aligned.
template <typename Scalar, typename Element, bool kSwapped>
Scalar load(const std::byte* address) {
  Bits<sizeof(Element)> bits;
  std::memcpy(&bits, address, sizeof bits);
  if constexpr (kSwapped) bits = swapped(bits);
  if constexpr (std::is_same_v<Element, Eigen::half>) {
    return static_cast<Scalar>(static_cast<float>(Eigen::half(Eigen::half_impl::raw_uint16_to_half(bits))));
  } else {
    return static_cast<Scalar>(std::bit_cast<Element>(bits));
  }
}

template <typename Element, bool kSwapped, typename Scalar>
void convert_run(const std::byte* from, Index count, Scalar* to) {
  if constexpr (std::is_same_v<Element, Scalar> && !kSwapped) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Scalar));
  } else {
    for (Index i = 0; i < count; ++i) {
      to[i] = load<Scalar, Element, kSwapped>(from + i * static_cast<Index>(sizeof(Element)));
    }
  }
}

// Converts entries [first, first + count) along `axis`; `origin` is entry 0.
template <typename Element, bool kSwapped, typename Scalar>
void convert_along(const Axis& axis, const std::byte* origin, Index first, Index count, Scalar* to) {
  constexpr Index kSize = sizeof(Element);
  if (axis.even() && axis.stride == 1) {
    convert_run<Element, kSwapped>(origin + first * kSize, count, to);
    return;
  }
  for (Index i = 0; i < count; ++i) {
    to[i] = load<Scalar, Element, kSwapped>(origin + axis.offset(first + i) * kSize);
  }
}

// Transposes tile by tile through a buffer in L1, so that both storage and `out` are accessed in contiguous runs.
template <typename Element, bool kSwapped, typename Scalar>
void convert_tiled(const StridedView& view, Index first, Index count, Scalar* out) {
  constexpr Index kTile = 32;
  constexpr Index kPitch = kTile + 1;  // odd: the transposed reads fall into different cache sets
  constexpr Index kSize = sizeof(Element);
  std::array<Scalar, static_cast<std::size_t>(kTile * kPitch)> tile;
  const Index columns = view.column.count;
  for (Index i = 0; i < count; i += kTile) {
    const Index tile_rows = std::min(kTile, count - i);
    for (Index j = 0; j < columns; j += kTile) {
      const Index tile_columns = std::min(kTile, columns - j);
      for (Index c = 0; c < tile_columns; ++c) {
        const std::byte* origin = view.data + view.column.offset(j + c) * kSize;
        convert_along<Element, kSwapped>(view.row, origin, first + i, tile_rows, tile.data() + c * kPitch);
      }
      for (Index r = 0; r < tile_rows; ++r) {
        Scalar* to = out + (i + r) * columns + j;
        for (Index c = 0; c < tile_columns; ++c) to[c] = tile[static_cast<std::size_t>(c * kPitch + r)];
      }
    }
  }
}

template <typename Element, bool kSwapped, typename Scalar>
void convert_elements(const StridedView& view, Index first, Index count, Scalar* out) {
  const bool rows_contiguous = view.column.even() && view.column.stride == 1;
  if (!rows_contiguous && view.column.count > 1) {
    convert_tiled<Element, kSwapped>(view, first, count, out);
    return;
  }
  for (Index i = 0; i < count; ++i) {
    const std::byte* origin = view.data + view.row.offset(first + i) * static_cast<Index>(sizeof(Element));
    convert_along<Element, kSwapped>(view.column, origin, 0, view.column.count, out + i * view.column.count);
  }
}

template <typename Element, typename Scalar>
void convert_either_order(const StridedView& view, Index first, Index count, Scalar* out) {
  if (view.byte_swapped) {
    convert_elements<Element, true>(view, first, count, out);
  } else {
    convert_elements<Element, false>(view, first, count, out);
  }
}

// Not inline, so that its arithmetic isn't moved out of the caller's floating-point mode.
template <typename Scalar>
[[gnu::noinline]] void convert_any(const StridedView& view, Index first, Index count, Scalar* out) {
  switch (view.type) {
    case ElementType::kU8:
      return convert_either_order<std::uint8_t>(view, first, count, out);
    case ElementType::kI8:
      return convert_either_order<std::int8_t>(view, first, count, out);
    case ElementType::kU16:
      return convert_either_order<std::uint16_t>(view, first, count, out);
    case ElementType::kI16:
      return convert_either_order<std::int16_t>(view, first, count, out);
    case ElementType::kU32:
      return convert_either_order<std::uint32_t>(view, first, count, out);
    case ElementType::kI32:
      return convert_either_order<std::int32_t>(view, first, count, out);
    case ElementType::kU64:
      return convert_either_order<std::uint64_t>(view, first, count, out);
    case ElementType::kI64:
      return convert_either_order<std::int64_t>(view, first, count, out);
    case ElementType::kF16:
      return convert_either_order<Eigen::half>(view, first, count, out);
    case ElementType::kF32:
      return convert_either_order<float>(view, first, count, out);
    case ElementType::kF64:
      return convert_either_order<double>(view, first, count, out);
    case ElementType::kC64:
    case ElementType::kC128:
      throw Error(Fault::kData, "complex numbers are converted in real parts");
  }
}

}  // namespace

template <typename Scalar>
void convert_rows(const StridedView& view, Index first, Index count, Scalar* out) {
  if (view.column.count == 0) return;
  [[maybe_unused]] const simd::KeepSubnormals keep;
  convert_any(view, first, count, out);
}

template void convert_rows(const StridedView&, Index, Index, float*);
template void convert_rows(const StridedView&, Index, Index, double*);

}  // namespace orthodict::samples
