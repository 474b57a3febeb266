// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "report/report.h"
#include "solver/mixture.h"

namespace orthodict::report {

// Coefficients, a row per atom; of complex ones the moduli.
struct Coefficients {
  Matrix<double> values;
  bool is_complex = false;
  std::optional<solver::Mixture> mixture = std::nullopt;  // that fits best, if not all coefficients are zero
};

// Of codes in columns, which interleave real and imaginary parts if they are complex.
[[nodiscard]] Coefficients coefficients_of(const Matrix<double>& codes, bool is_complex);

// Statistics with one entry per atom.
struct AtomStatistics {
  Vector<double> energy;  // mean square
  // The share of samples whose coefficient is more likely signal than noise; empty if the two are hardly different.
  Vector<double> usage;
  Vector<double> kurtosis;  // mean fourth power divided by the squared energy; NaN for an atom without energy
};
[[nodiscard]] AtomStatistics atom_statistics(const Coefficients& coefficients);

// The counts of coefficients in bins of equal width from −limit to limit, or of moduli from 0, and the counts expected
// from the mixture. Its noise is 0 if zeros are exact.
[[nodiscard]] Json coefficient_histogram(const Coefficients& coefficients);

}  // namespace orthodict::report
