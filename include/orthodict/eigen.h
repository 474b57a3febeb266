// SPDX-License-Identifier: Apache-2.0
// Requirements on Eigen objects in function arguments.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <type_traits>

#include "orthodict/array.h"

namespace orthodict {
namespace detail {

template <typename Derived>
void is_eigen(const Eigen::EigenBase<Derived>&);
template <typename Derived>
void owns_memory(const Eigen::PlainObjectBase<Derived>&);
template <typename Plain, int kOptions, typename Stride>
void owns_memory(const Eigen::Ref<const Plain, kOptions, Stride>&);  // may hold a copy

template <typename T>
concept HasMemory = (int{T::Flags} & int{Eigen::DirectAccessBit}) != 0;

template <typename T>
concept OwnsMemory = requires(const T& x) {
  owns_memory(x);
};

template <typename Scalar>
constexpr ElementType element_type() {
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double> ||
                    std::is_same_v<Scalar, std::complex<float>> || std::is_same_v<Scalar, std::complex<double>> ||
                    (std::is_integral_v<Scalar> && !std::is_same_v<Scalar, bool>),
                "orthodict: the values must be float, double or integers, or std::complex<float or double>");
  if constexpr (std::is_same_v<Scalar, std::complex<double>>) return ElementType::kC128;
  if constexpr (std::is_same_v<Scalar, std::complex<float>>) return ElementType::kC64;
  if constexpr (std::is_same_v<Scalar, double>) return ElementType::kF64;
  if constexpr (std::is_same_v<Scalar, float>) return ElementType::kF32;
  constexpr bool kSigned = std::is_signed_v<Scalar>;
  if constexpr (sizeof(Scalar) == 1) return kSigned ? ElementType::kI8 : ElementType::kU8;
  if constexpr (sizeof(Scalar) == 2) return kSigned ? ElementType::kI16 : ElementType::kU16;
  if constexpr (sizeof(Scalar) == 4) return kSigned ? ElementType::kI32 : ElementType::kU32;
  return kSigned ? ElementType::kI64 : ElementType::kU64;
}

// The value type of an argument T&& that is to be viewed. Fails to compile for expressions without memory and for
// temporaries, which wouldn't outlive the view.
template <typename T>
constexpr ElementType viewed_type() {
  using Object = std::remove_cvref_t<T>;
  static_assert(HasMemory<Object>,
                "orthodict: the values must lie in memory; assign the expression or sparse matrix to a Matrix first");
  static_assert(std::is_lvalue_reference_v<T> || !OwnsMemory<Object>,
                "orthodict: the view would outlive this temporary; give it a name first");
  return element_type<typename Object::Scalar>();
}

}  // namespace detail

// An Eigen matrix, array, Map, Ref or Block of any storage order and size. Expressions also satisfy this concept; they
// are rejected later with a readable message.
template <typename T>
concept EigenObject = requires(const std::remove_cvref_t<T>& x) {
  detail::is_eigen(x);
};

}  // namespace orthodict
