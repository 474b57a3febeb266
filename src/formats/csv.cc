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
#include "formats/csv_lines.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

// std::from_chars knows no locale, and takes "nan" and "inf" in any case; a leading '+' is taken off for it.
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
    auto line = lines_.next();
    if (!line) throw data_error(name_, "has no numbers: every line is blank or a comment");
    split(*line);
    columns_ = fields_.size();
    first_line_ = line->number;
    if (is_header()) line = lines_.next();
    if (!line) throw data_error(name_, fmt::format("has no numbers after the header in line {}", first_line_));
    Index rows = 0;
    for (; line; line = lines_.next(), ++rows) append_row(*line, *values);
    return finish(std::move(values), rows);
  }

 private:
  void split(const CsvLine& line) {
    if (!split_fields(line.text, separator_, fields_)) {
      throw data_error(name_, fmt::format("line {}: a quote that isn't closed, or text after it", line.number));
    }
  }

  [[nodiscard]] bool is_header() const {
    return std::any_of(fields_.begin(), fields_.end(), [](std::string_view field) {
      double value = 0;
      return !field.empty() && parse_number(field, value) == std::errc::invalid_argument;
    });
  }

  void append_row(const CsvLine& line, std::vector<double>& values) {
    split(line);
    if (fields_.size() != columns_) {
      throw data_error(name_, fmt::format("line {} has {} fields, line {} has {}: need the same number in every line",
                                          line.number, fields_.size(), first_line_, columns_));
    }
    for (std::size_t column = 0; column < columns_; ++column) values.push_back(number(line, column));
  }

  [[nodiscard]] double number(const CsvLine& line, std::size_t column) const {
    const std::string_view field = fields_[column];
    double value = 0;
    const std::errc error = parse_number(field, value);
    if (error == std::errc{}) return value;
    const std::string place = fmt::format("line {}, column {}: ", line.number, column + 1);
    if (field.empty()) throw data_error(name_, place + "no value; need a number in every field");
    if (error == std::errc::result_out_of_range) {
      throw data_error(name_, place + text::shown(field) + " is beyond the range of double");
    }
    throw data_error(name_, place + text::shown(field) + " is no number (the decimal sign is a point)");
  }

  [[nodiscard]] Array finish(std::shared_ptr<std::vector<double>> values, Index rows) const {
    Array array;
    array.type = ElementType::kF64;
    array.shape = {rows, static_cast<Index>(columns_)};
    array.data = reinterpret_cast<const std::byte*>(values->data());
    array.owner = std::move(values);
    array.name = name_;
    return array;
  }

  CsvLines lines_;
  char separator_;
  const std::string& name_;
  std::vector<std::string_view> fields_;
  std::size_t columns_ = 0;
  std::size_t first_line_ = 0;
};

}  // namespace

Array parse_csv(std::string_view text, const std::string& name) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw data_error(name, "is UTF-16 text; need ASCII or UTF-8");
  }
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return CsvParser(text, name).parse();
}

Array read_csv(const std::string& path) {
  const files::MappedFile file(path);
  return parse_csv({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path);
}

}  // namespace orthodict::formats
