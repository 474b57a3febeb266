// SPDX-License-Identifier: Apache-2.0
// The methods that orthodict is compared with, by name. Each has a header of its own.
#pragma once

#include "baselines/ksvd.h"
#include "baselines/online.h"
#include "baselines/subgradient.h"
#include "orthodict/fit.h"
#include "orthodict/names.h"

namespace orthodict {
namespace baselines {

enum class Baseline { kKsvd, kOnline, kSubgradient, kSubgradientOracle, kFastica, kFasticaDeflation, kPca };

// What a baseline needs beyond Options; those of the others are not looked at.
struct Parameters {
  KsvdOptions ksvd = {};
  OnlineOptions online = {};
  SubgradientOptions subgradient = {};  // kSubgradientOracle needs its truth
};

// Learns a dictionary as orthodict::fit() does, with the same summary. Throws Error for options that the baseline
// doesn't have.
[[nodiscard]] FitResult fit(const Samples& samples, Baseline baseline, const Options& options,
                            const Parameters& parameters = {});

// Whether it whitens the samples, and so has as many atoms as they have rank.
[[nodiscard]] bool whitens(Baseline baseline, const Options& options);

}  // namespace baselines

template <>
std::span<const Named<baselines::Baseline>> names_of();

}  // namespace orthodict
