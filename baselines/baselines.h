// SPDX-License-Identifier: Apache-2.0
// The methods that orthodict is compared with, by name. Each has its own header.
#pragma once

#include "baselines/ksvd.h"
#include "baselines/online.h"
#include "baselines/subgradient.h"
#include "orthodict/fit.h"
#include "orthodict/names.h"

namespace orthodict {
namespace baselines {

enum class Baseline { kKsvd, kOnline, kSubgradient, kSubgradientOracle, kFastica, kFasticaDeflation, kPca };

// Parameters of the baselines beyond Options. Those of other baselines are ignored.
struct Parameters {
  KsvdOptions ksvd = {};
  OnlineOptions online = {};
  SubgradientOptions subgradient = {};  // kSubgradientOracle needs its truth
};

// Learns a dictionary like orthodict::fit(), with the same summary. Throws Error for options that the baseline doesn't
// support.
[[nodiscard]] FitResult fit(const Samples& samples, Baseline baseline, const Options& options,
                            const Parameters& parameters = {});

// Whether the baseline whitens the samples, which limits the number of atoms to their rank.
[[nodiscard]] bool whitens(Baseline baseline, const Options& options);

}  // namespace baselines

template <>
std::span<const Named<baselines::Baseline>> names_of();

}  // namespace orthodict
