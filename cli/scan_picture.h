// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orthodict/scan.h"

namespace orthodict::cli {

// A scan as a drawing (SVG): stable and robust atoms and singles against the number of atoms, with both rules' choices.
[[nodiscard]] std::string scan_picture(const Scan& scan);

}  // namespace orthodict::cli
