// SPDX-License-Identifier: Apache-2.0
#include "solver/normalize.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/changed_samples.h"

namespace orthodict::solver {
namespace {

class SamplesAtDistance final : public ChangedSamples {
 public:
  SamplesAtDistance(const Samples& samples, const Vector<double>& point, double distance, std::vector<Index> set_aside)
      : ChangedSamples(samples), point_(point), distance_(distance), set_aside_(std::move(set_aside)) {}

 private:
  [[nodiscard]] bool changes(Index /*first*/, Index /*count*/) const override { return true; }
  void change(Index sample, Vector<double>* y) const override {
    if (std::binary_search(set_aside_.begin(), set_aside_.end(), sample)) {
      *y = point_;
      return;
    }
    *y -= point_;
    const double length = y->norm();
    if (length > 0) *y *= distance_ / length;
    *y += point_;
  }

  Vector<double> point_;
  double distance_;
  std::vector<Index> set_aside_;
};

}  // namespace

std::unique_ptr<Samples> samples_at_distance(const Samples& samples, const Vector<double>& point, double distance,
                                             std::vector<Index> set_aside) {
  return std::make_unique<SamplesAtDistance>(samples, point, distance, std::move(set_aside));
}

engine::Moments normalize_samples(Run& run, bool center, const engine::Moments& moments, bool moments_are_centred) {
  const Vector<double> point = center ? moments.mean : Vector<double>(Vector<double>::Zero(moments.mean.size()));
  const double from_mean = moments_are_centred ? 0 : -moments.mean.squaredNorm();
  const double square = moments.second_moment.trace() + from_mean + (moments.mean - point).squaredNorm();
  run.normalize(samples_at_distance(run.samples(), point, std::sqrt(square), run.outliers()));
  return run.measure_learned(moments_are_centred);
}

}  // namespace orthodict::solver
