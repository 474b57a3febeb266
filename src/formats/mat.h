// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// The variable `member` of a MATLAB file of version 5 to 7 or 7.3; the file's only real, full, numeric variable when
// `member` is empty. Column-major, as MATLAB has it. Its element type is the one it is stored in: MATLAB stores doubles
// that are small integers in one byte.
[[nodiscard]] Array read_mat(const files::InputFile& file, const std::string& member);

}  // namespace orthodict::formats
