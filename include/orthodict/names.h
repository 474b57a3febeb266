// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "orthodict/error.h"

namespace orthodict {

// A name and a line of help for each value of an enum, shared by C++, the command line, JSON and the docs. Each enum E
// with names specializes names_of<E>().
template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
  std::string_view help;
};

template <typename Enum>
std::span<const Named<Enum>> names_of() = delete;

template <>
inline std::span<const Named<Fault>> names_of() {
  static constexpr Named<Fault> kNames[] = {{Fault::kOption, "option", "what was asked for isn't legal"},
                                            {Fault::kData, "data", "the data or a file are at fault"},
                                            {Fault::kStopped, "stopped", "the caller stopped the work"}};
  return kNames;
}

template <typename Enum>
std::string_view name_of(Enum value) {
  for (const Named<Enum>& entry : names_of<Enum>()) {
    if (entry.value == value) return entry.name;
  }
  throw Error(Fault::kOption, "enum value outside its range");
}

// Writes the name; for an invalid value its number.
template <typename Enum>
requires requires { names_of<Enum>(); }
std::ostream& operator<<(std::ostream& stream, Enum value) {
  for (const Named<Enum>& entry : names_of<Enum>()) {
    if (entry.value == value) return stream << entry.name;
  }
  return stream << static_cast<long long>(value);
}

// "none, zca or pca"
template <typename Enum>
std::string legal_names() {
  std::string list;
  const auto entries = names_of<Enum>();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) list += i + 1 == entries.size() ? " or " : ", ";
    list += entries[i].name;
  }
  return list;
}

// Throws Error that names `option` and the legal values unless `text` is one of them.
template <typename Enum>
Enum parse_name(const std::string& option, std::string_view text) {
  for (const Named<Enum>& entry : names_of<Enum>()) {
    if (entry.name == text) return entry.value;
  }
  throw option_error(option, std::string(text), legal_names<Enum>());
}

}  // namespace orthodict
