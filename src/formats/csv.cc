// SPDX-License-Identifier: Apache-2.0
#include "formats/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "files/mapped_file.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

struct CsvLine {
  std::string_view text;   // without the line terminator
  std::size_t number = 0;  // from 1, including skipped lines
};

// Iterates over lines; skips blank lines and lines that start with '#'.
class CsvLines {
 public:
  explicit CsvLines(std::string_view text) : rest_(text) {}
  std::optional<CsvLine> next();

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kLinesLookedAt = 16;

// Counts `separator` outside quotes.
std::size_t count_outside_quotes(std::string_view line, char separator) {
  bool quoted = false;
  std::size_t count = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == separator && !quoted) ++count;
  }
  return count;
}

// The position after the closing quote of the field whose opening quote is line[start]. A doubled quote is a literal
// one.
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

// Guesses the separator: the first of '\t', ';', ',' and ' ' (any blanks) that occurs equally often in each of the
// first lines, else ';' or ',' if it occurs in one of them.
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

// Splits a line into trimmed fields without their quotes. Returns false if a quote isn't closed or text follows it.
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

// Uses std::from_chars, which ignores the locale and accepts "nan" and "inf" in any case, but no leading '+'.
std::errc parse_number(std::string_view field, double& value) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error == std::errc{} && stop != end) return std::errc::invalid_argument;
  return error;
}

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& name)
      : lines_(text), separator_(detect_separator(text)), name_(name) {}

  Array parse() {
    auto values = std::make_shared<std::vector<double>>();
    Index rows = 0;
    for (auto line = begin(); line; line = lines_.next(), ++rows) append_row(*line, *values);
    return finish(std::move(values), rows);
  }

  TableNames parse_names() {
    auto line = begin();
    TableNames names;
    names.columns = header_;
    if (!has_row_names_) return names;
    if (header_.size() == columns_) {
      names.corner = header_.front();
      names.columns.erase(names.columns.begin());
    }
    for (; line; line = lines_.next()) {
      split(*line);
      require_row(*line);
      names.rows.push_back(unquoted(fields_.front()));
    }
    return names;
  }

 private:
  // Goes to the first line of numbers, and finds out what names there are.
  std::optional<CsvLine> begin() {
    auto line = lines_.next();
    if (!line) throw data_error(name_, "contains no numbers: every line is blank or a comment");
    split(*line);
    columns_ = fields_.size();
    first_line_ = line->number;
    if (!is_header()) return line;
    for (const std::string_view field : fields_) header_.push_back(unquoted(field));
    line = lines_.next();
    if (!line) throw data_error(name_, fmt::format("contains no numbers after the header in line {}", first_line_));
    split(*line);
    const bool is_longer = fields_.size() == header_.size() + 1;
    names_are_text_ = !is_longer && header_.size() > 1 && !header_.front().empty() && is_text(fields_.front());
    has_row_names_ = is_longer || names_are_text_ || (header_.size() > 1 && header_.front().empty());
    if (is_longer) columns_ = fields_.size();
    return line;
  }

  // A doubled quote in a quoted field stands for one.
  static std::string unquoted(std::string_view field) {
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
      text += field[i];
      if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
    }
    return text;
  }

  [[nodiscard]] static bool is_text(std::string_view field) {
    double value = 0;
    return !field.empty() && parse_number(field, value) == std::errc::invalid_argument;
  }

  [[nodiscard]] std::size_t first_column() const { return has_row_names_ ? 1 : 0; }

  void split(const CsvLine& line) {
    if (!split_fields(line.text, separator_, fields_)) {
      throw data_error(name_, fmt::format("line {}: unclosed quote, or text after a closing quote", line.number));
    }
  }

  [[nodiscard]] bool is_header() const { return std::any_of(fields_.begin(), fields_.end(), &is_text); }

  void append_row(const CsvLine& line, std::vector<double>& values) {
    split(line);
    require_row(line);
    for (std::size_t column = first_column(); column < columns_; ++column) values.push_back(number(line, column));
  }

  void require_row(const CsvLine& line) const {
    if (fields_.size() != columns_) {
      throw data_error(
          name_, fmt::format("line {} has {} fields, line {} has {}: need the same number in every line", line.number,
                             fields_.size(), first_line_, header_.empty() ? columns_ : header_.size()));
    }
    // A column of numbers, of which the first is missing, isn't one of names.
    if (names_are_text_ && !is_text(fields_.front())) {
      throw data_error(name_,
                       fmt::format("line {}, column 1: {} is no name, as the first line below the header has one",
                                   line.number, text::shown(fields_.front())));
    }
  }

  [[nodiscard]] double number(const CsvLine& line, std::size_t column) const {
    const std::string_view field = fields_[column];
    double value = 0;
    const std::errc error = parse_number(field, value);
    if (error == std::errc{}) return value;
    const std::string place = fmt::format("line {}, column {}: ", line.number, column + 1);
    if (field.empty()) throw data_error(name_, place + "empty field; need a number in every field");
    if (error == std::errc::result_out_of_range) {
      throw data_error(name_, place + text::shown(field) + " is out of range for double");
    }
    throw data_error(name_, place + text::shown(field) + " isn't a number (the decimal separator must be a point)");
  }

  [[nodiscard]] Array finish(std::shared_ptr<std::vector<double>> values, Index rows) const {
    Array array;
    array.type = ElementType::kF64;
    array.shape = {rows, static_cast<Index>(columns_ - first_column())};
    array.data = reinterpret_cast<const std::byte*>(values->data());
    array.owner = std::move(values);
    array.name = name_;
    return array;
  }

  CsvLines lines_;
  char separator_;
  const std::string& name_;
  std::vector<std::string_view> fields_;
  std::size_t columns_ = 0;  // fields of a line, the name of its row among them
  std::size_t first_line_ = 0;
  std::vector<std::string> header_;
  bool has_row_names_ = false;
  bool names_are_text_ = false;  // they are known to be names because they are no numbers
};

std::string_view without_mark(std::string_view text, const std::string& name) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw data_error(name, "is UTF-16 text; need ASCII or UTF-8");
  }
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return text;
}

}  // namespace

Array parse_csv(std::string_view text, const std::string& name) {
  return CsvParser(without_mark(text, name), name).parse();
}

TableNames parse_csv_names(std::string_view text, const std::string& name) {
  return CsvParser(without_mark(text, name), name).parse_names();
}

Array read_csv(const files::InputFile& file) {
  const files::MappedFile mapped(file);
  return parse_csv({reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()}, file.name());
}

TableNames read_csv_names(const files::InputFile& file) {
  const files::MappedFile mapped(file);
  return parse_csv_names({reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size()}, file.name());
}

}  // namespace orthodict::formats
