// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orthodict/array.h"

namespace orthodict::data {

// The variable `member` of a MATLAB file, read whole into memory; the file's only real, full, numeric variable when
// `member` is empty. Column-major, as MATLAB has it.
[[nodiscard]] Array read_mat(const std::string& path, const std::string& member);

}  // namespace orthodict::data
