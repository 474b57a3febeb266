// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "problem.h"

namespace orthodict::experiments {

// The paper's two settings: dimension and samples, θ = .3.
inline constexpr std::array<std::pair<Index, Index>, 2> kSettings = {{{50, 20000}, {100, 40000}}};
inline constexpr double kTheta = 0.3;

// The iterations of Algorithm 2, with `truth` = ‖A·D_o‖₄⁴/n and `objective` = ‖AY‖₄⁴/3npθ.
[[nodiscard]] std::vector<Row> watch_learning(Index n, Index p, std::uint64_t seed, const Context& context);

}  // namespace orthodict::experiments
