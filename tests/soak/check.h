// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orthodict/orthodict.h"

namespace orthodict::soak {

[[nodiscard]] std::uint64_t hash_of(std::string_view text);
// Of all that a file of the model would hold.
[[nodiscard]] std::uint64_t hash_of(const Model& model);

// All samples, in columns.
[[nodiscard]] Matrix<double> values_of(const Samples& samples);

// What is wrong with the result of a fit that ended in a summary; empty when nothing is.
[[nodiscard]] std::string inconsistency(const FitResult& result, const Samples& samples, const Options& options);

}  // namespace orthodict::soak
