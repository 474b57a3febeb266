// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/report.h"

namespace orthodict::report {

// The output of `orthodict scan --json` in a file: {"recommended", "reason", "optica", "optica_reason", "numbers"}, the
// latter an object of columns, {"atoms", "stable", "robust", "singles", "conserved", "held_out"}. Throws Error, naming
// the file, if it isn't that.
[[nodiscard]] Json read_scan(const std::string& path);

}  // namespace orthodict::report
