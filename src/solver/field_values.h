// SPDX-License-Identifier: Apache-2.0
// How the values of fields are shown: in JSON, and in messages.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "orthodict/fit.h"
#include "solver/fields.h"
#include "solver/hash.h"
#include "solver/option_fields.h"
#include "solver/summary_fields.h"

namespace orthodict::solver {

template <typename Field>
inline constexpr bool kHasJson =
    std::is_enum_v<Given<Field>> || std::is_same_v<Given<Field>, Atoms> || std::is_same_v<Field, RowMatrix<double>> ||
    std::is_same_v<Field, std::vector<std::pair<std::string, double>>> ||
    std::is_constructible_v<nlohmann::ordered_json, Given<Field>>;

// Matrices as a hash.
template <typename Field>
nlohmann::ordered_json json_of(const Field& value) {
  using Json = nlohmann::ordered_json;
  if constexpr (kIsOptional<Field>) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (std::is_enum_v<Field>) {
    return name_of(value);
  } else if constexpr (std::is_same_v<Field, Atoms>) {
    return value.count() ? Json(*value.count()) : Json(*value.share());
  } else if constexpr (std::is_same_v<Field, RowMatrix<double>>) {
    return fmt::format("{:016x}", hash_of(values_of(value)));
  } else if constexpr (std::is_same_v<Field, std::vector<std::pair<std::string, double>>>) {
    Json object = Json::object();
    for (const auto& [name, number] : value) object[name] = number;
    return object;
  } else if constexpr (kHasJson<Field>) {
    return value;
  } else {
    return nullptr;
  }
}

template <typename Field>
constexpr bool is_shown(const OptionField<Field>& field) {
  return field.identity != Identity::kNone;
}
template <typename Field>
constexpr bool is_shown(const SummaryField<Field>& field) {
  return field.reported_in != ReportedIn::kPythonAlone;
}
template <template <typename> typename Row, typename... Fields>
constexpr bool have_json(const std::tuple<Row<Fields>...>& rows) {
  return std::apply([](const auto&... row) { return ((!is_shown(row) || kHasJson<Fields>)&&...); }, rows);
}
static_assert(have_json(kOptionFields) && have_json(kSummaryFields), "json_of() doesn't know a type that is shown");

template <typename Field>
std::string text_of(const Field& value) {
  if constexpr (kIsOptional<Field>) {
    return value ? text_of(*value) : "unset";
  } else if constexpr (std::is_enum_v<Field>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<Field, Atoms>) {
    return value.text();
  } else if constexpr (std::is_same_v<Field, std::shared_ptr<const Stretch>>) {
    return value ? value->name() : "unset";
  } else if constexpr (fmt::is_formattable<Field>::value) {
    return fmt::format("{}", value);
  } else {
    return "given";
  }
}

// A field of a summary in JSON.
template <typename Row>
nlohmann::ordered_json json_of(const Row& row, const Summary& summary) {
  const auto& value = summary.*row.member;
  if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
    if (row.is_null_when_empty && value.empty()) return nullptr;
  }
  return json_of(value);
}

// An option that isn't left out, or that has no such state.
template <typename Field>
bool is_given(const Field& value) {
  if constexpr (kIsOptional<Field>) {
    return value.has_value();
  } else if constexpr (std::is_same_v<Field, std::string>) {
    return !value.empty();
  } else {
    return true;
  }
}

template <typename Field>
bool is_default(const OptionField<Field>& field, const Options& options) {
  if constexpr (std::equality_comparable<Field>) return options.*field.member == Options().*field.member;
  return true;
}

template <typename Field>
const Given<Field>& given_value(const Field& value) {
  if constexpr (kIsOptional<Field>) {
    return *value;
  } else {
    return value;
  }
}

}  // namespace orthodict::solver
