// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>

#include "plan.h"

namespace orthodict::soak {

// Thrown if two results that must be equal differ.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Interrupts a fit at a random moment and resumes it with another number of threads. Returns the result if it equals
// that of an uninterrupted fit, else throws Mismatch.
[[nodiscard]] FitResult interrupt_and_resume(Plan* plan, const Samples& samples, const std::filesystem::path& folder);

// The same with a damaged checkpoint or that of another run, which must be an Error unless the damage is harmless.
[[nodiscard]] FitResult resume_wrongly(Plan* plan, const Samples& samples, const std::filesystem::path& folder);

}  // namespace orthodict::soak
