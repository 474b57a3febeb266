// SPDX-License-Identifier: Apache-2.0
#include "solver/normalize.h"

#include <cmath>
#include <utility>

#include "solver/changed_samples.h"
#include "solver/lengths.h"

namespace orthodict::solver {
namespace {

class ScaledSamples final : public ChangedSamples {
 public:
  ScaledSamples(const Samples& samples, const Vector<double>& point, std::vector<double> factors)
      : ChangedSamples(samples), point_(point), factors_(std::move(factors)) {}

 private:
  [[nodiscard]] bool changes(Index /*first*/, Index /*count*/) const override { return true; }
  void change(Index sample, Vector<double>* y) const override {
    *y = point_ + factors_[static_cast<std::size_t>(sample)] * (*y - point_);
  }

  Vector<double> point_;
  std::vector<double> factors_;
};

}  // namespace

std::unique_ptr<Samples> scale_samples(const Samples& samples, const Vector<double>& point,
                                       std::vector<double> factors) {
  return std::make_unique<ScaledSamples>(samples, point, std::move(factors));
}

engine::Moments normalize_samples(Run& run, bool center, const engine::Moments& moments, bool moments_are_centred) {
  engine::Moments centred = moments;
  if (!moments_are_centred) centred.second_moment.noalias() -= moments.mean * moments.mean.transpose();
  std::vector<double> factors = whitened_lengths(run, std::move(centred), center);
  for (double& factor : factors) factor = factor > 0 ? 1 / std::sqrt(factor) : 0;
  for (const Index outlier : run.outliers()) factors[static_cast<std::size_t>(outlier)] = 0;
  const Vector<double> point = center ? moments.mean : Vector<double>(Vector<double>::Zero(moments.mean.size()));
  run.normalize(scale_samples(run.samples(), point, std::move(factors)));
  return run.measure_learned(moments_are_centred);
}

}  // namespace orthodict::solver
