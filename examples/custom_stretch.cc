// SPDX-License-Identifier: Apache-2.0
// Learns with a stretch of the program's own, which is made of three functions.
#include <orthodict/orthodict.h>

#include <cmath>
#include <iomanip>
#include <iostream>

int main() {
  // φ(z) = (z² − log(1 + z²))/2. Its derivative z³/(1 + z²) is the cube of ℓ4 for small coefficients, and leaves large
  // ones nearly as they are, so that few large samples don't decide alone. make_stretch() checks that the functions
  // are derivatives of each other and have the stated traits.
  const auto phi = [](double z) { return (z * z - std::log1p(z * z)) / 2; };
  const auto derivative = [](double z) { return z * z * z / (1 + z * z); };
  const auto second_derivative = [](double z) { return z * z * (z * z + 3) / std::pow(1 + z * z, 2); };
  const auto tempered =
      orthodict::make_stretch("tempered", phi, derivative, second_derivative, {.is_convex = true, .is_smooth = true});

  // Few samples for 30 features: ℓ4 needs about 30² of them.
  const orthodict::Synthetic data({.dimension = 30, .samples = 900, .theta = 0.2, .seed = 1});
  const auto x = data.samples();
  const auto error_of = [&](const orthodict::Options& options) {
    const auto [model, summary] = orthodict::fit(x, options);
    const double error = orthodict::compare(model, data.dictionary()).error;
    std::cout << summary.stretch << ": error " << std::setprecision(2) << error << " after " << summary.iterations
              << " iterations\n";
    return error;
  };
  const double of_l4 = error_of({.stretch = "l4", .seed = 7});
  const double of_tempered = error_of({.custom_stretch = tempered, .seed = 7});

  // Functions that don't fit together are refused: here φ' and φ'' are swapped.
  try {
    (void)orthodict::make_stretch("swapped", phi, second_derivative, derivative);
    return 1;
  } catch (const orthodict::Error& error) {
    std::cout << error.what() << "\n";
  }
  return of_tempered < 0.05 && of_tempered < of_l4 ? 0 : 1;
}
