// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "files/input_file.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// Reads the variable `member` of a MATLAB file of version 5 to 7 or 7.3; if `member` is empty, the only real, full,
// numeric variable. Column-major, as in MATLAB. The element type is that of the storage: MATLAB stores doubles that are
// small integers in one byte.
[[nodiscard]] Array read_mat(const files::InputFile& file, const std::string& member);

}  // namespace orthodict::formats
