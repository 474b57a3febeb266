// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>

#include "plan.h"

namespace orthodict::soak {

// Two results that should be the same aren't.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A fit that is interrupted at a random moment and resumed, with other threads. What comes out is that of the fit
// without the interruption, which is returned, or else a Mismatch is thrown.
[[nodiscard]] FitResult interrupt_and_resume(Plan* plan, const Samples& samples, const std::filesystem::path& folder);

// The same, with a checkpoint that was damaged, or one of another run: the Error that this should be, unless what was
// damaged doesn't matter.
[[nodiscard]] FitResult resume_wrongly(Plan* plan, const Samples& samples, const std::filesystem::path& folder);

}  // namespace orthodict::soak
