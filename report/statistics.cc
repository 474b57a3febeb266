// SPDX-License-Identifier: Apache-2.0
#include "report/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "report/subset.h"

namespace orthodict::report {
namespace {

constexpr int kBins = 121;  // odd, so that zero is the centre of a bin

// Whether the noise is as small as the fit allows, so that zeros are exact.
bool is_exact(const solver::Mixture& m) {
  const double rms = std::hypot(std::sqrt(1 - m.theta) * m.noise, std::sqrt(m.theta) * m.signal);
  return m.noise < 1.01 * solver::Mixture::kLeastNoise * rms;
}

// The probability that N(0, sigma²) is in [a, b], a < b, without cancellation in the tails.
double normal_mass(double a, double b, double sigma) {
  const double unit = std::numbers::sqrt2 * sigma;
  if (b <= 0) return normal_mass(-b, -a, sigma);
  if (a < 0) return 0.5 * (std::erf(b / unit) - std::erf(a / unit));
  return 0.5 * (std::erfc(a / unit) - std::erfc(b / unit));
}

// The probability that the modulus of a circular normal number of variance sigma² is in [a, b].
double modulus_mass(double a, double b, double sigma) {
  return -std::exp(-(a / sigma) * (a / sigma)) * std::expm1((a - b) / sigma * ((a + b) / sigma));
}

// The limit of the histogram. Coefficients far beyond the signal's size are excluded, so that the others fill the
// range.
double limit_of(const Coefficients& coefficients) {
  constexpr double kWidest = 10;
  const double largest = coefficients.values.cwiseAbs().maxCoeff();
  return coefficients.mixture ? std::min(largest, kWidest * coefficients.mixture->signal) : largest;
}

}  // namespace

Coefficients coefficients_of(const Matrix<double>& codes, bool is_complex) {
  return {.values = is_complex ? moduli(codes) : codes,
          .is_complex = is_complex,
          .mixture = solver::mixture_of(codes, is_complex)};
}

AtomStatistics atom_statistics(const Coefficients& coefficients) {
  const auto& [values, is_complex, mixture] = coefficients;
  const auto samples = static_cast<double>(values.cols());
  const bool parts_differ = mixture && mixture->is_distinct();
  const double threshold = parts_differ ? mixture->threshold(is_complex) : 0;
  Vector<double> squares = Vector<double>::Zero(values.rows()), fourths = squares, used = squares;
  for (Index j = 0; j < values.cols(); ++j) {
    const auto z = values.col(j).array();
    squares.array() += z.square();
    fourths.array() += z.square().square();
    used.array() += (z.abs() >= threshold).cast<double>();
  }
  const Vector<double> energy = squares / samples;
  AtomStatistics statistics;
  statistics.energy = energy;
  if (parts_differ) statistics.usage = used / samples;
  statistics.kurtosis = fourths.array() / (samples * energy.array().square());
  return statistics;
}

Json coefficient_histogram(const Coefficients& coefficients) {
  const auto& [values, is_complex, mixture] = coefficients;
  const double limit = limit_of(coefficients);
  const double first = is_complex ? 0 : -limit;
  const auto total = static_cast<double>(values.size());
  std::vector<Index> counts(kBins, 0);
  Index outside = 0;
  for (const double z : values.reshaped()) {
    const double place = limit > 0 ? (z - first) / (limit - first) * kBins : 0.5 * kBins;
    if (std::abs(z) > limit) {
      ++outside;
    } else {
      ++counts[static_cast<std::size_t>(std::min(place, kBins - 1.0))];
    }
  }
  Json histogram = {{"limit", limit}, {"total", values.size()}, {"outside", outside}, {"counts", counts}};
  histogram["mixture"] = nullptr;
  histogram["expected"] = nullptr;
  if (!mixture) return histogram;
  histogram["mixture"] = {
      {"theta", mixture->theta}, {"noise", is_exact(*mixture) ? 0 : mixture->noise}, {"signal", mixture->signal}};
  histogram["expected"] = Json::array();
  for (int i = 0; i < kBins; ++i) {
    const double a = first + (limit - first) * i / kBins;
    const double b = first + (limit - first) * (i + 1) / kBins;
    const auto mass = is_complex ? modulus_mass : normal_mass;
    histogram["expected"].push_back(
        total * ((1 - mixture->theta) * mass(a, b, mixture->noise) + mixture->theta * mass(a, b, mixture->signal)));
  }
  return histogram;
}

}  // namespace orthodict::report
