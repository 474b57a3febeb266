// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace orthodict::coding {

// The first four moments of numbers: sums of powers.
struct PowerSums {
  double count = 0, first = 0, second = 0, third = 0, fourth = 0;

  void add(double value);
};

// K² of D'Agostino and Pearson (Biometrika 60, 1973), a test of normality by skewness and kurtosis: the sum of the
// squares of D'Agostino's Z of the skewness (Biometrika 57, 1970) and Anscombe and Glynn's of the kurtosis (Biometrika
// 70, 1983). 0 for numbers that are all equal. At least 20 numbers.
[[nodiscard]] double k_squared(const PowerSums& sums);

// The size from which values stand out: the largest are taken away until k_squared() of the others is below the cutoff.
// Halfway between the last one left and the first one taken away; infinity if none is taken away.
[[nodiscard]] double k2_threshold(std::vector<double> values, double cutoff);

}  // namespace orthodict::coding
