// SPDX-License-Identifier: Apache-2.0
#include "solver/outliers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "solver/changed_samples.h"
#include "solver/lengths.h"

namespace orthodict::solver {
namespace {

constexpr double kFarOut =
    50;  // factor of the mean squared length; exceeded by few sparse samples and no Gaussian ones
constexpr double kMostShare = 0.05;  // largest share of samples that can be outliers
constexpr double kApart = 40;        // outliers exceed the longest remaining squared length by this factor
constexpr double kSparse = 0.01;     // factor for the median: if most samples are nearly zero, long ones are the signal
constexpr double kSame = 1e-6;       // relative difference of lengths that are equal up to rounding
constexpr int kRounds = 4;           // a large outlier may hide others, found in the next round

class ReplacedSamples final : public ChangedSamples {
 public:
  ReplacedSamples(const Samples& samples, std::vector<Index> replaced, const Vector<double>& point)
      : ChangedSamples(samples), replaced_(std::move(replaced)), point_(point) {}

 private:
  [[nodiscard]] bool changes(Index first, Index count) const override {
    const auto at = std::lower_bound(replaced_.begin(), replaced_.end(), first);
    return at != replaced_.end() && *at < first + count;
  }
  void change(Index sample, Vector<double>* y) const override {
    if (changes(sample, 1)) *y = point_;
  }

  std::vector<Index> replaced_;
  Vector<double> point_;
};

// Whether any sample is far from the mean. The point subtracted from the samples may itself be an outlier.
bool is_any_far_out(const engine::Moments& moments) {
  const double trace = moments.second_moment.trace();
  return moments.largest > kFarOut * trace;
}

// The value that a given share of the values exceeds.
double upper_quantile(std::vector<double> values, double share) {
  const auto above = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  const auto place = values.end() - above - 1;
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

// The samples much longer than all but a twentieth of them.
std::vector<Index> longest(const std::vector<double>& lengths) {
  const double long_ones = upper_quantile(lengths, kMostShare);
  std::vector<Index> found;
  const double median = upper_quantile(lengths, 0.5);
  // If most samples are zero, the others are the signal, not outliers. Then the median is small, or it equals the
  // quantile if less than a twentieth of the samples differ from zero.
  if (median <= kSparse * long_ones || median >= (1 - kSame) * long_ones) return found;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > kApart * long_ones) found.push_back(static_cast<Index>(i));
  }
  return found;
}

double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

// Outliers by whitened length or by length at unit variance. The whitened length of a large outlier among few samples
// is at most p/n, because it dominates the variance in its own direction.
std::vector<Index> suspects(Run& run, const engine::Moments& moments) {
  const std::vector<double> whitened = whitened_lengths(run, moments, true),
                            scaled = lengths_at_unit_variance(run, moments);
  std::vector<Index> found;
  for (const std::vector<double>* lengths : {&whitened, &scaled}) {
    if (largest(*lengths) <= kFarOut) continue;
    const std::vector<Index> some = longest(*lengths);
    std::vector<Index> all;
    std::set_union(found.begin(), found.end(), some.begin(), some.end(), std::back_inserter(all));
    found = std::move(all);
  }
  return found;
}

// Features that are constant except for outliers keep a tiny variance, from rounding of the mean that replaced the
// outliers. This sets it to zero.
void drop_rounding(const Vector<double>& with_outliers, engine::Moments* moments) {
  constexpr double kRounding = 1e-24;  // relative variance: rounding at about twelve digits
  for (Index i = 0; i < with_outliers.size(); ++i) {
    if (moments->second_moment(i, i) > kRounding * with_outliers[i]) continue;
    moments->second_moment.row(i).setZero();
    moments->second_moment.col(i).setZero();
  }
}

}  // namespace

std::unique_ptr<Samples> replace_samples(const Samples& samples, std::vector<Index> replaced,
                                         const Vector<double>& point) {
  return std::make_unique<ReplacedSamples>(samples, std::move(replaced), point);
}

void set_aside_outliers(Run& run, engine::Moments* moments) {
  if (!is_any_far_out(*moments)) return;
  const Vector<double> with_outliers = moments->second_moment.diagonal();
  std::vector<Index> set_aside;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Index> found = round == 0 ? suspects(run, *moments) : longest(whitened_lengths(run, *moments, true));
    const bool same = found == set_aside;
    if (same && found.empty()) return;
    set_aside = std::move(found);
    const Vector<double> point = moments->mean;
    const auto replaced = static_cast<Index>(set_aside.size());
    run.set_aside(replace_samples(run.samples(), set_aside, point), set_aside);
    *moments = run.measure_learned(true);
    drop_rounding(with_outliers, moments);
    if (same || round + 1 == kRounds) return;
    // The mean of the others alone, which replaces outliers in the next round.
    const auto count = static_cast<double>(run.samples().size());
    const auto others = count - static_cast<double>(replaced);
    moments->mean = (count * moments->mean - static_cast<double>(replaced) * point) / others;
  }
}

}  // namespace orthodict::solver
