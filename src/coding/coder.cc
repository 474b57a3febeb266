// SPDX-License-Identifier: Apache-2.0
#include "orthodict/coder.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "orthodict/error.h"
#include "orthodict/fit.h"

namespace orthodict {
namespace {

void require(bool holds, const std::string& option, const std::string& value, const std::string& legal) {
  if (!holds) throw option_error(option, value, legal);
}

void check_count(const std::string& option, std::optional<Index> count, Index atoms) {
  if (!count) return;
  require(*count >= 1 && *count <= atoms, option, fmt::format("{}", *count),
          fmt::format("an integer from 1 to {}, the atoms of the model", atoms));
}

void check_number(const std::string& option, std::optional<double> value, bool positive) {
  if (!value) return;
  require(std::isfinite(*value) && (positive ? *value > 0 : *value >= 0), option, fmt::format("{}", *value),
          positive ? "a finite number > 0" : "a finite number ≥ 0");
}

// Throws Error unless all of `text` is a number.
template <typename Number>
Number parse_number(const std::string& option, std::string_view whole, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  require(error == std::errc{} && end == text.data() + text.size(), option, std::string(whole),
          "auto, dense, top:K, threshold:T, omp, omp:K or lasso:L, with numbers K, T and L");
  return number;
}

}  // namespace

template <>
std::span<const Named<Coder>> names_of() {
  static constexpr Named<Coder> kNames[] = {
      {Coder::kAuto, "auto", "the model's own coder: dense, if it has an analysis, else omp"},
      {Coder::kDense, "dense", "the samples' products with the model's analysis, of which the largest may be kept"},
      {Coder::kOmp, "omp", "orthogonal matching pursuit"},
      {Coder::kLasso, "lasso", "least squares with an l1 penalty, by active sets"}};
  return kNames;
}

void EncodeOptions::validate(Index atoms) const {
  (void)name_of(coder);
  check_count("top", top, atoms);
  check_number("threshold", threshold, false);
  check_count("nonzeros", nonzeros, atoms);
  check_number("error", error, false);
  check_number("penalty", penalty, true);
  check_number("scale", scale, true);
  if (threads) require(*threads >= 1, "threads", fmt::format("{}", *threads), "an integer ≥ 1");
  if (precision) require(*precision != Precision::kMixed, "precision", "mixed", "f32 or f64 for codes");

  // Options of one coder, each with whether it is given.
  struct Owned {
    const char* option;
    Coder coder;
    bool given;
  };
  const Owned owned[] = {{"top", Coder::kDense, top.has_value()},   {"threshold", Coder::kDense, threshold.has_value()},
                         {"refit", Coder::kDense, refit},           {"nonzeros", Coder::kOmp, nonzeros.has_value()},
                         {"error", Coder::kOmp, error.has_value()}, {"penalty", Coder::kLasso, penalty.has_value()}};
  Coder asked = coder;
  for (const Owned& one : owned) {
    if (!one.given) continue;
    if (asked == Coder::kAuto) asked = one.coder;
    require(asked == one.coder, one.option, "given", fmt::format("left out with coder {}", name_of(asked)));
  }
  require(asked != Coder::kLasso || penalty, "penalty", "unset", "given with coder lasso");
}

EncodeOptions parse_coder(const std::string& option, std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  const bool bare = colon == std::string_view::npos;
  EncodeOptions options;
  if (bare && (name == "auto" || name == "dense" || name == "omp")) {
    options.coder = parse_name<Coder>(option, name);
  } else if (!bare && name == "top") {
    options = {.coder = Coder::kDense, .top = parse_number<Index>(option, text, rest)};
  } else if (!bare && name == "threshold") {
    options = {.coder = Coder::kDense, .threshold = parse_number<double>(option, text, rest)};
  } else if (!bare && name == "omp") {
    options = {.coder = Coder::kOmp, .nonzeros = parse_number<Index>(option, text, rest)};
  } else if (!bare && name == "lasso") {
    options = {.coder = Coder::kLasso, .penalty = parse_number<double>(option, text, rest)};
  } else {
    throw option_error(option, std::string(text), "auto, dense, top:K, threshold:T, omp, omp:K or lasso:L");
  }
  return options;
}

}  // namespace orthodict
