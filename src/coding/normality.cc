// SPDX-License-Identifier: Apache-2.0
#include "coding/normality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

namespace orthodict::coding {
namespace {

constexpr std::size_t kFewest = 20;  // the tests' normal approximations hold from about here on

double z_of_skewness(double skewness, double n) {
  const double y = skewness * std::sqrt((n + 1) * (n + 3) / (6 * (n - 2)));
  const double beta = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9));
  const double w_squared = std::sqrt(2 * (beta - 1)) - 1;
  const double alpha = std::sqrt(2 / (w_squared - 1));
  return std::asinh(y / alpha) / std::sqrt(0.5 * std::log(w_squared));
}

double z_of_kurtosis(double kurtosis, double n) {
  const double mean = 3 * (n - 1) / (n + 1);
  const double variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
  const double x = (kurtosis - mean) / std::sqrt(variance);
  const double root_beta =
      6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * std::sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)));
  const double a = 6 + 8 / root_beta * (2 / root_beta + std::sqrt(1 + 4 / (root_beta * root_beta)));
  const double cubed = (1 - 2 / a) / (1 + x * std::sqrt(2 / (a - 4)));
  return (1 - 2 / (9 * a) - std::cbrt(cubed)) / std::sqrt(2 / (9 * a));
}

}  // namespace

void PowerSums::add(double value) {
  const double square = value * value;
  count += 1;
  first += value;
  second += square;
  third += square * value;
  fourth += square * square;
}

double k_squared(const PowerSums& sums) {
  const double n = sums.count, mean = sums.first / n;
  const double raw2 = sums.second / n, raw3 = sums.third / n, raw4 = sums.fourth / n;
  const double variance = raw2 - mean * mean;
  if (!(variance > 1e-12 * raw2)) return 0;
  const double third = raw3 - 3 * mean * raw2 + 2 * mean * mean * mean;
  const double fourth = raw4 - 4 * mean * raw3 + 6 * mean * mean * raw2 - 3 * mean * mean * mean * mean;
  const double of_skewness = z_of_skewness(third / std::pow(variance, 1.5), n);
  const double of_kurtosis = z_of_kurtosis(fourth / (variance * variance), n);
  return of_skewness * of_skewness + of_kurtosis * of_kurtosis;
}

double k2_threshold(std::vector<double> values, double cutoff) {
  if (values.size() < kFewest) return std::numeric_limits<double>::infinity();
  // Powers of what is far from zero cancel.
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const double pivot = *middle;
  std::sort(values.begin(), values.end(), [](double one, double other) {
    return std::tuple(std::abs(one), one) < std::tuple(std::abs(other), other);
  });
  double unit = 0;
  for (const double value : values) unit = std::max(unit, std::abs(value - pivot));
  if (unit == 0) return std::numeric_limits<double>::infinity();
  std::vector<PowerSums> up_to;  // sums of the smallest ones, by their number less one
  up_to.reserve(values.size());
  PowerSums sums;
  for (const double value : values) {
    sums.add((value - pivot) / unit);
    up_to.push_back(sums);
  }
  std::size_t left = values.size();
  while (left > kFewest && k_squared(up_to[left - 1]) > cutoff) --left;
  if (left == values.size()) return std::numeric_limits<double>::infinity();
  return (std::abs(values[left - 1]) + std::abs(values[left])) / 2;
}

}  // namespace orthodict::coding
