// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "formats/npy.h"

namespace orthodict::formats {

// Reads descr, fortran_order and shape from the Python dictionary literal in an .npy header into `header`.
// Strict: the three keys once each, in any order, and nothing else. Error naming `name` otherwise.
void parse_npy_dict(std::string_view text, const std::string& name, NpyHeader& header);

}  // namespace orthodict::formats
