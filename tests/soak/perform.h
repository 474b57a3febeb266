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
  std::uint64_t hash = 0;    // of the model, or of the message: the same whatever the threads
  std::string failure = {};  // why this isn't as it should be; empty when it is
  std::string message = {};  // of the Error, if it was one
};

// Everything that a plan says, with so many threads, and files in a folder of its own that is gone afterwards.
[[nodiscard]] Outcome perform(Plan plan, int threads, const std::filesystem::path& folder);

}  // namespace orthodict::soak
