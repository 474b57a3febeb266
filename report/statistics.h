// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "report/report.h"
#include "solver/mixture.h"

namespace orthodict::report {

// Statistics with one entry per atom, from its coefficients, a row of `codes`.
struct AtomStatistics {
  Vector<double> energy;  // mean square
  // The share of samples whose coefficient is more likely signal than noise; empty if the two are hardly different.
  Vector<double> usage;
  Vector<double> kurtosis;  // mean fourth power divided by the squared energy; NaN for an atom without energy
};
[[nodiscard]] AtomStatistics atom_statistics(const Matrix<double>& codes,
                                             const std::optional<solver::Mixture>& mixture);

// The counts of coefficients in bins of equal width from −limit to limit, and the counts expected from the mixture. Its
// noise is 0 if zeros are exact.
[[nodiscard]] Json coefficient_histogram(const Matrix<double>& codes, const std::optional<solver::Mixture>& mixture);

}  // namespace orthodict::report
