// SPDX-License-Identifier: Apache-2.0
#include "formats/npy_dict.h"

#include <charconv>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

constexpr std::size_t kMostDimensions = 64;  // numpy's own limit

class DictParser {
 public:
  DictParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void parse(NpyHeader& header) {
    bool descr = false;
    bool order = false;
    bool shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string_literal();
      expect(':');
      if (key == "descr" && !descr) {
        header.descr = type_literal();
        descr = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = bool_literal();
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = tuple_literal();
        shape = true;
      } else {
        fail("unexpected key " + text::shown(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!text_.empty()) fail("unexpected " + text::shown(text_) + " after the dictionary");
    if (!descr || !order || !shape) fail("need descr, fortran_order and shape");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw data_error(name_, "bad .npy header: " + what); }

  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }

  bool accept(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("need '") + c + "' at " + text::shown(text_));
  }

  std::string string_literal() {
    skip_blanks();
    const char quote = text_.empty() ? '\0' : text_.front();
    if (quote != '\'' && quote != '"') fail("need a string at " + text::shown(text_));
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail("unclosed string " + text::shown(text_));
    std::string value(text_.substr(1, end - 1));
    if (value.find('\\') != std::string::npos) fail("unexpected escape in " + text::shown(value));
    text_.remove_prefix(end + 1);
    return value;
  }

  std::string type_literal() {
    skip_blanks();
    if (text_.starts_with('[') || text_.starts_with('(')) {
      throw data_error(name_, "structured dtype " + text::shown(text_) + "; need plain numbers");
    }
    return string_literal();
  }

  bool bool_literal() {
    skip_blanks();
    const bool value = text_.starts_with("True");
    if (!value && !text_.starts_with("False")) fail("fortran_order is " + text::shown(text_) + "; legal: True, False");
    text_.remove_prefix(value ? 4 : 5);
    return value;
  }

  std::vector<Index> tuple_literal() {
    std::vector<Index> values;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("need ',' or ')' at " + text::shown(text_));
      if (values.size() == kMostDimensions) fail("more than 64 dimensions");
      values.push_back(integer_literal());
      comma = accept(',');
    }
    if (values.size() == 1 && !comma) fail("shape is a number; need a tuple");
    return values;
  }

  Index integer_literal() {
    skip_blanks();
    Index value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0)
      fail("shape has " + text::shown(text_) + "; legal: integers from 0 to 2^63 - 1");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2's long integers
    return value;
  }

  std::string_view text_;
  const std::string& name_;
};

}  // namespace

void parse_npy_dict(std::string_view text, const std::string& name, NpyHeader& header) {
  DictParser(text, name).parse(header);
}

}  // namespace orthodict::formats
