// SPDX-License-Identifier: Apache-2.0
#include "solver/orient.h"

#include <cmath>
#include <string>

#include "engine/pass.h"
#include "engine/workers.h"
#include "orthodict/code_statistics.h"
#include "orthodict/stretch.h"

namespace orthodict::solver {
namespace {

// φ = z²/2, of which the derivative is z.
class HalfSquare final : public Stretch {
 public:
  [[nodiscard]] std::string name() const override { return "half_square"; }
  [[nodiscard]] double value(double z) const override { return z * z / 2; }
  [[nodiscard]] double derivative(double z) const override { return z; }
  [[nodiscard]] double second_derivative(double /*z*/) const override { return 1; }
  [[nodiscard]] bool is_convex() const override { return true; }
  [[nodiscard]] bool is_smooth() const override { return true; }
};

// Sums of the cubes of codes about their mean, in some unit, which have the signs of their skewness. Nothing is as
// large as features × features.
Vector<double> third_moments(const Samples& samples, const Options& options, Matrix<double> rows) {
  engine::Workers workers(engine::threads_or_all(options.threads), options.ranks.get());
  const auto pass = [&](const Stretch& stretch, const Vector<double>& offset) {
    return *engine::Pass(samples, stretch, engine::Arithmetic::kF64, workers, {})
                .run(rows, offset, engine::PassOutput::kObjective);
  };
  const engine::PassResult first = pass(HalfSquare(), Vector<double>::Zero(rows.rows()));
  const double count = static_cast<double>(samples.size());
  const double rms = std::sqrt(2 * first.objective() / (count * static_cast<double>(rows.rows())));
  if (!(rms > 0)) return Vector<double>::Zero(rows.rows());
  rows /= rms;
  return pass(*make_stretch("l4"), first.derivative_sums / (count * rms)).derivative_sums;  // φ' of l4 is z³
}

}  // namespace

void orient(const Samples& samples, const Options& options, Model* model) {
  const bool has_analysis = model->analysis.size() > 0;
  const Vector<double> skewness = has_analysis
                                      ? third_moments(samples, options, model->analysis)
                                      : code_statistics(*model, samples, {.threads = options.threads}).skewness;
  for (Index i = 0; i < model->atoms(); ++i) {
    if (!(skewness[i] < 0)) continue;
    model->dictionary.row(i) *= -1;
    if (has_analysis) model->analysis.row(i) *= -1;
  }
}

}  // namespace orthodict::solver
