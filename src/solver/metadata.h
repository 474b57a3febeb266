// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "orthodict/fit.h"

namespace orthodict::solver {

// What was asked for, as far as the result depends on it, with what was chosen where nothing was asked.
[[nodiscard]] nlohmann::ordered_json describe_options(const Options& options, const Summary& summary);

// Summary::message.
[[nodiscard]] std::string describe_outcome(const Options& options, const Summary& summary);

// The JSON text that goes with a model: what was asked, what came out, which version. It holds nothing that varies
// between equal runs (times, threads), so that equal runs give equal files.
std::string make_metadata(const Options& options, const Summary& summary);

}  // namespace orthodict::solver
