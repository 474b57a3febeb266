// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "files/input_file.h"
#include "orthodict/array.h"
#include "orthodict/table.h"

namespace orthodict::formats {

// Parses text with one sample per line into an array of f64. The separator (tab, semicolon, comma or blanks) is guessed
// from the first lines. The first line is a header if one of its fields isn't a number. Blank lines and lines that
// start with '#' are skipped. Errors name line and column, both counted from 1.
//
// Below a header, the first column contains names of rows if the header has one field less than the lines, if its first
// field is empty, or if the first field of the first line isn't a number.
[[nodiscard]] Array read_csv(const files::InputFile& file);
[[nodiscard]] Array parse_csv(std::string_view text, const std::string& name);

// The names of rows and columns alone.
[[nodiscard]] TableNames read_csv_names(const files::InputFile& file);
[[nodiscard]] TableNames parse_csv_names(std::string_view text, const std::string& name);

}  // namespace orthodict::formats
