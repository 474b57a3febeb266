// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

namespace orthodict::report {

// The entries of a model's metadata that can be shown: {"version", "options", "summary"}. The latter two are objects of
// numbers, strings and booleans, possibly empty; options include their "parameters". Metadata may be arbitrary.
[[nodiscard]] Json readable_metadata(const Json& metadata);

// {"stage", "objective", "step", "samples"}: columns with one entry per iteration. Null if metadata have no history.
[[nodiscard]] Json history_of(const Json& metadata);

}  // namespace orthodict::report
