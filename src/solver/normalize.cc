// SPDX-License-Identifier: Apache-2.0
#include "solver/normalize.h"

#include <cmath>

#include "solver/changed_samples.h"

namespace orthodict::solver {
namespace {

class SamplesAtDistance final : public ChangedSamples {
 public:
  SamplesAtDistance(const Samples& samples, const Vector<double>& point, double distance)
      : ChangedSamples(samples), point_(point), distance_(distance) {}

 private:
  [[nodiscard]] bool changes(Index /*first*/, Index /*count*/) const override { return true; }
  void change(Index /*sample*/, Vector<double>* y) const override {
    *y -= point_;
    const double length = y->norm();
    if (length > 0) *y *= distance_ / length;
    *y += point_;
  }

  Vector<double> point_;
  double distance_;
};

}  // namespace

std::unique_ptr<Samples> samples_at_distance(const Samples& samples, const Vector<double>& point, double distance) {
  return std::make_unique<SamplesAtDistance>(samples, point, distance);
}

engine::Moments normalize_samples(Run& run, bool center, const engine::Moments& moments, bool moments_are_centred) {
  const Vector<double> point = center ? moments.mean : Vector<double>(Vector<double>::Zero(moments.mean.size()));
  const double from_mean = moments_are_centred ? 0 : -moments.mean.squaredNorm();
  const double square = moments.second_moment.trace() + from_mean + (moments.mean - point).squaredNorm();
  run.normalize(samples_at_distance(run.learned_from(), point, std::sqrt(square)));
  return run.measure_learned(moments_are_centred);
}

}  // namespace orthodict::solver
