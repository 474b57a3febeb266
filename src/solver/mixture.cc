// SPDX-License-Identifier: Apache-2.0
#include "solver/mixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linalg/complex.h"
#include "stretch/built_in.h"

namespace orthodict::solver {
namespace {

struct Bin {
  double count = 0;
  double squares = 0;
};

// Sixteen bins per octave, by the leading bits of |z|, from 2^−32 to 2^16. Values outside go to the end bins.
std::vector<Bin> histogram(const Matrix<double>& coefficients) {
  constexpr int kShift = 48;
  constexpr std::int64_t kFirst = (1023 - 32) << 4;
  constexpr std::int64_t kLast = (1023 + 16) << 4;
  std::vector<Bin> bins(static_cast<std::size_t>(kLast - kFirst + 1));
  for (Index i = 0; i < coefficients.size(); ++i) {
    const double z = coefficients.data()[i];
    const auto bits = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::abs(z)) >> kShift);
    Bin& bin = bins[static_cast<std::size_t>(std::clamp(bits, kFirst, kLast) - kFirst)];
    bin.count += 1;
    bin.squares += z * z;
  }
  std::erase_if(bins, [](const Bin& bin) { return bin.count == 0; });
  return bins;
}

Mixture update(const std::vector<Bin>& bins, const Mixture& m, bool is_complex) {
  constexpr double kLeastNoise = Mixture::kLeastNoise;
  // Keeps the signal larger than the noise.
  constexpr double kMostNoise = 0.98;
  constexpr double kLeastShare = 1e-6;
  const double gap = (is_complex ? 1 : 0.5) * (1 / (m.noise * m.noise) - 1 / (m.signal * m.signal));
  const double odds = (1 - m.theta) / m.theta * m.signal / m.noise * (is_complex ? m.signal / m.noise : 1);
  double count = 0, squares = 0, signal_count = 0, signal_squares = 0;
  for (const Bin& bin : bins) {
    const double r = 1 / (1 + odds * std::exp(-gap * bin.squares / bin.count));
    count += bin.count;
    squares += bin.squares;
    signal_count += r * bin.count;
    signal_squares += r * bin.squares;
  }
  Mixture next;
  next.theta = std::clamp(signal_count / count, kLeastShare, 1 - kLeastShare);
  next.signal = std::sqrt(signal_squares / std::max(signal_count, kLeastShare));
  next.signal = std::max(next.signal, kLeastNoise * 2);
  const double noise_count = std::max(count - signal_count, kLeastShare);
  next.noise = std::sqrt(std::max(squares - signal_squares, 0.0) / noise_count);
  next.noise = std::clamp(next.noise, kLeastNoise, kMostNoise * next.signal);
  return next;
}

}  // namespace

std::shared_ptr<const Stretch> Mixture::stretch() const { return stretch::mixture(theta, noise, signal); }

double Mixture::threshold(bool is_complex) const {
  const double ratio = noise_to_signal();
  const double odds = (1 - theta) / theta / (is_complex ? ratio * ratio : ratio);
  if (odds <= 1) return 0;
  return noise * std::sqrt((is_complex ? 1 : 2) * std::log(odds) / (1 - ratio * ratio));
}

std::optional<Mixture> mixture_of(const Matrix<double>& coefficients, bool is_complex) {
  const auto count = static_cast<double>(coefficients.size() / linalg::reals(is_complex));
  const double rms = coefficients.reshaped().stableNorm() / std::sqrt(count);
  if (!(rms > 0)) return std::nullopt;
  Mixture m = fit_mixture(coefficients / rms, {}, is_complex);
  m.noise *= rms;
  m.signal *= rms;
  return m;
}

Mixture fit_mixture(const Matrix<double>& coefficients, const Mixture& start, bool is_complex) {
  constexpr int kMaxUpdates = 500;
  constexpr double kTolerance = 1e-6;
  const std::vector<Bin> bins = histogram(is_complex ? linalg::moduli(coefficients) : coefficients);
  Mixture m = start;
  for (int i = 0; i < kMaxUpdates; ++i) {
    const Mixture next = update(bins, m, is_complex);
    const double change = std::abs(std::log(next.noise / m.noise)) + std::abs(next.theta - m.theta);
    m = next;
    if (change < kTolerance) break;
  }
  return m;
}

}  // namespace orthodict::solver
