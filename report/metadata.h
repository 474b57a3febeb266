// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

namespace orthodict::report {

// What a model's metadata say, as far as it can be shown: {"version", "options", "summary"}, the latter two objects of
// numbers, texts and truth values, empty where there are none; options with their "parameters". Metadata may be
// anything.
[[nodiscard]] Json readable_metadata(const Json& metadata);

// {"stage", "objective", "step", "samples"}: a column each, one entry per iteration. Null where metadata have none.
[[nodiscard]] Json history_of(const Json& metadata);

}  // namespace orthodict::report
