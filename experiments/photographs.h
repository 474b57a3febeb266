// SPDX-License-Identifier: Apache-2.0
// What the experiments on photographs share.
#pragma once

#include <span>
#include <string>

#include "experiment.h"
#include "orthodict/image.h"

namespace orthodict::experiments {

// All photographs of at least 512×512 pixels that scripts/get-data images fetches; two where the run is tiny.
[[nodiscard]] std::span<const std::string> photographs(const Scale& scale);

// The middle 512×512 pixels of FOLDER/images/NAME.png (the middle 64×64 where the run is tiny), grey or as they are.
// Throws Error that says how to get the images where they aren't there.
[[nodiscard]] Image read_photograph(const Scale& scale, const std::string& name, bool color = false);

}  // namespace orthodict::experiments
