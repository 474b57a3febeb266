// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// Numbers in text, one sample per line, as an array of f64. The separator (tab, semicolon, comma or blanks) is found
// from the first lines; a first line with a field that is no number is a header; blank lines and lines that start with
// '#' are skipped. Errors name line and column, both counted from 1.
[[nodiscard]] Array read_csv(const files::InputFile& file);
[[nodiscard]] Array parse_csv(std::string_view text, const std::string& name);

}  // namespace orthodict::formats
