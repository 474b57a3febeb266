// SPDX-License-Identifier: Apache-2.0
// Shared by the experiments on photographs.
#pragma once

#include <span>
#include <string>

#include "experiment.h"
#include "orthodict/image.h"

namespace orthodict::experiments {

// All photographs from scripts/get-data images with at least 512×512 pixels; two of them at size tiny.
[[nodiscard]] std::span<const std::string> photographs(const Scale& scale);

// The central 512×512 pixels (64×64 at size tiny) of FOLDER/images/NAME.png, in grey or in colour. Throws Error with
// instructions if the image is missing.
[[nodiscard]] Image read_photograph(const Scale& scale, const std::string& name, bool color = false);

}  // namespace orthodict::experiments
