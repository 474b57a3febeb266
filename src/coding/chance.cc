// SPDX-License-Identifier: Apache-2.0
#include "coding/chance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orthodict::coding {
namespace {

// The continued fraction of I_x(a, b) by Lentz's method (Numerical Recipes 6.4); it converges fast for
// x < (a + 1)/(a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMost = 10000;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int i = 1; i <= kMost; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return value;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

std::vector<double> chance_cosines(Index n, Index atoms, Index most, double expected) {
  // P(cos² > t) = I_{1−t}((d − 1)/2, ½) rises with 1 − t: bisection in its logarithm.
  const double share = std::min(0.5, expected / static_cast<double>(atoms));
  std::vector<double> cosines(static_cast<std::size_t>(std::max<Index>(most, 0)), 1.0);
  for (Index s = 0; s < most && n - s > 1; ++s) {
    const double a = static_cast<double>(n - s - 1) / 2;
    double low = -700, high = 0;
    for (int step = 0; step < 100; ++step) {
      const double middle = (low + high) / 2;
      (incomplete_beta(a, 0.5, std::exp(middle)) < share ? low : high) = middle;
    }
    cosines[static_cast<std::size_t>(s)] = -std::expm1((low + high) / 2);
  }
  return cosines;
}

}  // namespace orthodict::coding
