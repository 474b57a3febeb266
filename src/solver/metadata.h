// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "orthodict/fit.h"

namespace orthodict::solver {

// The options that determine the result, with the chosen values for options that were left open.
[[nodiscard]] nlohmann::ordered_json describe_options(const Options& options, const Summary& summary);

// Summary::message.
[[nodiscard]] std::string describe_outcome(const Options& options, const Summary& summary);

// The JSON text stored with a model: options, outcome and version. It contains nothing that varies between equal runs
// (times, threads), so that these give equal files.
std::string make_metadata(const Options& options, const Summary& summary);

}  // namespace orthodict::solver
