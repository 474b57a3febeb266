// SPDX-License-Identifier: Apache-2.0
// Parses the names of the built-in stretches.
#include <charconv>
#include <cmath>
#include <tuple>
#include <vector>

#include "orthodict/error.h"
#include "orthodict/stretch.h"
#include "stretch/factories.h"
#include "stretch/formulas.h"

namespace orthodict {
namespace {

// The comma-separated numbers after the colon; Error if there are more than a stretch can have.
std::vector<double> parse_numbers(const std::string& name, std::size_t from) {
  std::vector<double> numbers;
  const char* at = name.data() + from;
  const char* end = name.data() + name.size();
  for (;;) {
    double number = 0;
    const auto [parsed_to, status] = std::from_chars(at, end, number);
    const bool whole = status == std::errc{} && (parsed_to == end || *parsed_to == ',') && std::isfinite(number);
    if (!whole || numbers.size() == std::tuple_size_v<stretch::Parameters>)
      throw option_error("stretch", name, stretch::kLegalNames);
    numbers.push_back(number);
    if (parsed_to == end) return numbers;
    at = parsed_to + 1;
  }
}

}  // namespace

std::shared_ptr<const Stretch> make_stretch(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::vector<double> numbers =
      colon == std::string::npos ? std::vector<double>() : parse_numbers(name, colon + 1);
  const double first = numbers.empty() ? 1 : numbers[0];

  if (numbers.empty()) {
    if (kind == "l4") return stretch::power(4);
    if (kind == "l3") return stretch::power(3);
    if (kind == "logcosh") return stretch::log_cosh();
  }
  if (numbers.size() <= 1) {
    if (kind == "power" && !numbers.empty()) return stretch::power(first);
    if (kind == "soft") return stretch::soft(first);
    if (kind == "hard") return stretch::hard(first);
  }
  if (kind == "mixture" && numbers.size() == 3) return stretch::mixture(first, numbers[1], numbers[2]);
  throw option_error("stretch", name, stretch::kLegalNames);
}

}  // namespace orthodict
