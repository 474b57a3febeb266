// SPDX-License-Identifier: Apache-2.0
// What the tables of fields of Options and of Summary share.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace orthodict::solver {

template <typename T>
struct Unwrapped {
  using Type = T;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};
// T of T and of std::optional<T>.
template <typename Field>
using Given = typename Unwrapped<Field>::Type;
template <typename Field>
inline constexpr bool kIsOptional = !std::is_same_v<Given<Field>, Field>;

struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): stands for a field of any type, and is never called
};

template <typename Aggregate, std::size_t... I>
consteval bool can_hold(std::index_sequence<I...>) {
  return requires { Aggregate{(static_cast<void>(I), Anything{})...}; };
}

// How many fields an aggregate has: as many as it can be initialised from. Tables are held against it, so that a field
// that is forgotten doesn't compile.
template <typename Aggregate, std::size_t least = 0>
consteval std::size_t count_of_fields() {
  if constexpr (can_hold<Aggregate>(std::make_index_sequence<least + 1>())) {
    return count_of_fields<Aggregate, least + 1>();
  } else {
    return least;
  }
}

}  // namespace orthodict::solver
