// SPDX-License-Identifier: Apache-2.0
#include "orthodict/code_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "coding/normality.h"
#include "engine/workers.h"
#include "orthodict/encoder.h"
#include "orthodict/error.h"
#include "solver/mixture.h"

namespace orthodict {
namespace {

constexpr Index kRows = 8192;                      // samples at a time
constexpr Index kEntriesAtATime = Index{1} << 23;  // codes of several atoms, 64 MiB
constexpr Index kFewestSamples = 20;
constexpr const char* kLegal = "a number, k2, k2:CUTOFF with a CUTOFF > 0, or mixture";

// Sums of powers of the codes less a pivot, which is near their mean.
struct Sums {
  Eigen::ArrayXd pivot, first, second, third;

  void add(const RowMatrix<double>& codes) {
    if (pivot.size() == 0) {
      pivot = codes.colwise().mean().transpose().array();
      first = second = third = Eigen::ArrayXd::Zero(codes.cols());
    }
    for (Index j = 0; j < codes.rows(); ++j) {
      const Eigen::ArrayXd from_pivot = codes.row(j).transpose().array() - pivot;
      first += from_pivot;
      second += from_pivot.square();
      third += from_pivot.cube();
    }
  }
};

// The atoms [first, first + count) of a model.
Model some_atoms(const Model& model, Index first, Index count) {
  return {.dictionary = model.dictionary.middleRows(first, count),
          .analysis = model.analysis.middleRows(first, count),
          .mean = model.mean};
}

// How much larger the log-likelihood of a mixture is than that of one normal distribution of the same variance.
double gain_of(const solver::Mixture& m, const Vector<double>& codes) {
  const double rms = std::sqrt(codes.squaredNorm() / static_cast<double>(codes.size()));
  const auto log_normal = [](double z, double deviation) {
    return -0.5 * z * z / (deviation * deviation) - std::log(deviation);
  };
  double gain = 0;
  for (const double z : codes) {
    const double narrow = std::log1p(-m.theta) + log_normal(z, m.noise),
                 wide = std::log(m.theta) + log_normal(z, m.signal);
    gain += std::max(narrow, wide) + std::log1p(std::exp(-std::abs(narrow - wide))) - log_normal(z, rms);
  }
  return gain;
}

// Two numbers more must raise the likelihood by more than Schwarz's criterion asks for (Annals of Statistics 6, 1978).
double mixture_threshold(const Vector<double>& codes) {
  const std::optional<solver::Mixture> mixture = solver::mixture_of(codes.transpose());
  const bool is_better = mixture && gain_of(*mixture, codes) > std::log(static_cast<double>(codes.size()));
  const double threshold = is_better ? mixture->threshold() : 0;
  return threshold > 0 ? threshold : std::numeric_limits<double>::infinity();
}

double threshold_of(const Vector<double>& codes, const Thresholding& how) {
  if (how.rule == ThresholdRule::kMixture) return mixture_threshold(codes);
  return coding::k2_threshold({codes.begin(), codes.end()}, how.k2_cutoff);
}

}  // namespace

template <>
std::span<const Named<ThresholdRule>> names_of() {
  static constexpr std::array<Named<ThresholdRule>, 2> kNames = {{
      {ThresholdRule::kK2, "k2", "the largest codes, without which D'Agostino's K² of the others is below a cutoff"},
      {ThresholdRule::kMixture, "mixture",
       "codes that a mixture of two normal distributions ascribes to the wider one"},
  }};
  return kNames;
}

void Thresholding::validate(const std::string& option) const {
  (void)name_of(rule);
  if (!(k2_cutoff > 0) || !std::isfinite(k2_cutoff)) {
    throw option_error(option, fmt::format("k2:{}", k2_cutoff), kLegal);
  }
}

Thresholding parse_thresholding(const std::string& option, std::string_view text) {
  constexpr std::string_view kWithCutoff = "k2:";
  Thresholding how;
  if (text.starts_with(kWithCutoff)) {
    const std::string_view number = text.substr(kWithCutoff.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), how.k2_cutoff);
    const bool is_number = error == std::errc{} && end == number.data() + number.size() && !number.empty();
    if (!is_number || !(how.k2_cutoff > 0) || !std::isfinite(how.k2_cutoff)) {
      throw option_error(option, std::string(text), kLegal);
    }
  } else if (text == name_of(ThresholdRule::kMixture)) {
    how.rule = ThresholdRule::kMixture;
  } else if (text != name_of(ThresholdRule::kK2)) {
    throw option_error(option, std::string(text), kLegal);
  }
  return how;
}

CodeStatistics code_statistics(const Model& model, const Samples& samples, const EncodeOptions& options) {
  const Encoder encoder(model, samples, options);
  Sums sums;
  for (Index first = 0; first < samples.size() || first == 0; first += kRows) {
    sums.add(encoder.encode(samples, first, std::min(kRows, samples.size() - first)));
  }
  const auto p = static_cast<double>(samples.size());
  const Eigen::ArrayXd mean = sums.first / p;
  const Eigen::ArrayXd variance = (sums.second / p - mean.square()).max(0);
  const Eigen::ArrayXd third = sums.third / p - 3 * mean * sums.second / p + 2 * mean.cube();
  // Of equal codes only rounding is left.
  const auto has_spread = variance > 1e-28 * (sums.pivot + mean).square();
  CodeStatistics statistics{
      .mean = sums.pivot + mean, .deviation = variance.sqrt(), .skewness = third / (variance * variance.sqrt())};
  statistics.deviation = has_spread.select(statistics.deviation.array(), 0);
  statistics.skewness = has_spread.select(statistics.skewness.array(), 0);
  return statistics;
}

Vector<double> atom_thresholds(const Model& model, const Samples& samples, const Thresholding& how,
                               std::optional<int> threads) {
  model.require_shapes("model");
  how.validate("threshold");
  if (model.analysis.size() == 0) {
    throw option_error("threshold", std::string(name_of(how.rule)), "a number for a model without analysis");
  }
  const Index p = samples.size(), k = model.atoms();
  if (p < kFewestSamples) {
    throw data_error(samples.name(), fmt::format("{} samples: at least {} are needed to tell which codes stand out", p,
                                                 kFewestSamples));
  }
  engine::Workers workers(engine::threads_or_all(threads));
  Vector<double> thresholds(k);
  const Index at_a_time = std::clamp<Index>(kEntriesAtATime / p, 1, k);
  for (Index first = 0; first < k; first += at_a_time) {
    const Index count = std::min(at_a_time, k - first);
    const RowMatrix<double> codes =
        encode(some_atoms(model, first, count), samples, {.coder = Coder::kDense, .threads = threads});
    workers.for_each(workers.count(), count, [&](Index i) { thresholds[first + i] = threshold_of(codes.col(i), how); });
  }
  return thresholds;
}

void keep_above(const Vector<double>& thresholds, RowMatrix<double>* codes) {
  for (Index j = 0; j < codes->rows(); ++j) {
    for (Index i = 0; i < codes->cols(); ++i) {
      if (std::abs((*codes)(j, i)) < thresholds[i]) (*codes)(j, i) = 0;
    }
  }
}

}  // namespace orthodict
