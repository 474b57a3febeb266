// SPDX-License-Identifier: Apache-2.0
#include "formats/csv_lines.h"

#include <algorithm>

namespace orthodict::formats {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kLinesLookedAt = 16;

// How often `separator` stands in the line outside quotes.
std::size_t count_outside_quotes(std::string_view line, char separator) {
  bool quoted = false;
  std::size_t count = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == separator && !quoted) ++count;
  }
  return count;
}

// One past the quote that closes the field whose opening quote is line[start]; a doubled quote doesn't close.
std::size_t end_of_quoted(std::string_view line, std::size_t start) {
  for (std::size_t i = start + 1; i < line.size(); ++i) {
    if (line[i] != '"') continue;
    if (i + 1 < line.size() && line[i + 1] == '"') {
      ++i;
    } else {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

bool is_separator(char c, char separator) { return c == separator || (separator == ' ' && c == '\t'); }

}  // namespace

std::optional<CsvLine> CsvLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos || line[start] == '#') continue;
    return CsvLine{line.ends_with('\r') ? line.substr(0, line.size() - 1) : line, number_};
  }
  return std::nullopt;
}

char detect_separator(std::string_view text) {
  char seen = ' ';
  for (const char separator : {'\t', ';', ','}) {
    CsvLines lines(text);
    std::optional<CsvLine> line = lines.next();
    const std::size_t first = line ? count_outside_quotes(line->text, separator) : 0;
    bool equal = first > 0;
    bool any = first > 0;
    for (std::size_t i = 1; i < kLinesLookedAt && (line = lines.next()); ++i) {
      const std::size_t count = count_outside_quotes(line->text, separator);
      equal = equal && count == first;
      any = any || count > 0;
    }
    if (equal) return separator;
    if (any && separator != '\t' && seen == ' ') seen = separator;
  }
  return seen;
}

std::string_view trimmed(std::string_view field) {
  const std::size_t start = field.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return field.substr(start, field.find_last_not_of(kBlanks) - start + 1);
}

bool split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  if (separator == ' ') line = trimmed(line);
  std::size_t start = 0;
  while (true) {
    while (start < line.size() && line[start] != separator && kBlanks.find(line[start]) != std::string_view::npos)
      ++start;
    const bool quoted = start < line.size() && line[start] == '"';
    std::size_t end = quoted ? end_of_quoted(line, start) : start;
    if (end == std::string_view::npos) return false;
    const std::size_t field_end = end;
    while (end < line.size() && !is_separator(line[end], separator)) ++end;
    if (quoted && !trimmed(line.substr(field_end, end - field_end)).empty()) return false;
    fields.push_back(quoted ? trimmed(line.substr(start + 1, field_end - start - 2))
                            : trimmed(line.substr(start, end - start)));
    if (end == line.size()) return true;
    start = end + 1;
    if (separator == ' ') start = std::min(line.find_first_not_of(kBlanks, start), line.size());
  }
}

}  // namespace orthodict::formats
