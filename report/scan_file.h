// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace orthodict::report {

// The output of `orthodict scan --json` in a file: {"recommended", "reason", "optica", "optica_reason", "numbers"}, the
// latter an object of columns, {"atoms", "stable", "robust", "singles", "conserved", "held_out"}. Throws Error, naming
// the file, if it isn't that.
[[nodiscard]] Json read_scan(const std::string& path);
// The same of text; `name` is for messages.
[[nodiscard]] Json parse_scan(std::string_view text, const std::string& name);

}  // namespace orthodict::report
