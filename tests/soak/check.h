// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orthodict/orthodict.h"

namespace orthodict::soak {

[[nodiscard]] std::uint64_t hash_of(std::string_view text);
// Hash of everything that the model's file contains.
[[nodiscard]] std::uint64_t hash_of(const Model& model);

// All samples, in columns.
[[nodiscard]] Matrix<double> values_of(const Samples& samples);

// Checks the result of a fit. Returns a description of the first problem, or an empty string.
[[nodiscard]] std::string inconsistency(const FitResult& result, const Samples& samples, const Options& options);

}  // namespace orthodict::soak
