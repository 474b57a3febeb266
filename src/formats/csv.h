// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "files/input_file.h"
#include "orthodict/array.h"
#include "orthodict/table.h"

namespace orthodict::formats {

// Numbers in text, one sample per line, as an array of f64. The separator (tab, semicolon, comma or blanks) is found
// from the first lines; a first line with a field that is no number is a header; blank lines and lines that start with
// '#' are skipped. Errors name line and column, both counted from 1.
//
// Below a header the first column has names of rows, rather than numbers, where the header has one field less than the
// lines, where its first field is empty, or where the first field of the first line is no number.
[[nodiscard]] Array read_csv(const files::InputFile& file);
[[nodiscard]] Array parse_csv(std::string_view text, const std::string& name);

// The names of rows and columns alone.
[[nodiscard]] TableNames read_csv_names(const files::InputFile& file);
[[nodiscard]] TableNames parse_csv_names(std::string_view text, const std::string& name);

}  // namespace orthodict::formats
