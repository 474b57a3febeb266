// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "report/report.h"
#include "solver/mixture.h"

namespace orthodict::report {

// (1 − theta)·N(0, noise²) + theta·N(0, signal²) as it fits all coefficients, in their own units. Nothing when all are
// zero.
[[nodiscard]] std::optional<solver::Mixture> mixture_of(const Matrix<double>& codes);

// One entry per atom, from its coefficients: a row of `codes`.
struct AtomStatistics {
  Vector<double> energy;  // mean square
  // Share of samples whose coefficient is more likely signal than noise; empty where the two are hardly different.
  Vector<double> usage;
  Vector<double> kurtosis;  // mean fourth power over the squared energy; NaN for an atom without energy
};
[[nodiscard]] AtomStatistics atom_statistics(const Matrix<double>& codes,
                                             const std::optional<solver::Mixture>& mixture);

// How often coefficients fall into bins of equal width from −limit to limit, and how often they would by the mixture,
// whose noise is 0 where zeros are exact.
[[nodiscard]] Json coefficient_histogram(const Matrix<double>& codes, const std::optional<solver::Mixture>& mixture);

}  // namespace orthodict::report
