// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "plan.h"

namespace orthodict::soak {

// How a fit ended.
struct Outcome {
  std::string kind = {};     // the termination, "option", "data", "interrupted" or "own"
  std::uint64_t hash = 0;    // of the model or message; must not depend on the number of threads
  std::string failure = {};  // description of a failure; empty if there is none
  std::string message = {};  // of the Error, if any
};

// Executes a plan with this number of threads. Files are in a temporary folder.
[[nodiscard]] Outcome perform(Plan plan, int threads, const std::filesystem::path& folder);

}  // namespace orthodict::soak
