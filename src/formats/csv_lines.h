// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orthodict::formats {

struct CsvLine {
  std::string_view text;   // without its end
  std::size_t number = 0;  // from 1, skipped lines counted
};

// Goes through the lines of a text, over blank lines and lines that start with '#'.
class CsvLines {
 public:
  explicit CsvLines(std::string_view text) : rest_(text) {}
  std::optional<CsvLine> next();

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// '\t', ';', ',' or ' ' (blanks, tabs among them): the first that stands equally often in each of the first lines; else
// ';' or ',' where one stands in any of them.
[[nodiscard]] char detect_separator(std::string_view text);

[[nodiscard]] std::string_view trimmed(std::string_view field);

// The fields of a line, trimmed, quotes around them taken off. False when a quote isn't closed or text follows it.
[[nodiscard]] bool split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields);

}  // namespace orthodict::formats
