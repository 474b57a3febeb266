// SPDX-License-Identifier: Apache-2.0
#include "solver/orient.h"

#include <cmath>
#include <memory>
#include <optional>

#include "engine/moments.h"
#include "engine/pass.h"
#include "engine/workers.h"
#include "linalg/blas.h"
#include "orthodict/code_statistics.h"
#include "orthodict/stretch.h"

namespace orthodict::solver {
namespace {

// Of codes at unit variance, as sums: φ' of l4 is z³.
std::optional<Vector<double>> third_moments(const Samples& samples, const Options& options,
                                            const RowMatrix<double>& analysis) {
  engine::Workers workers(engine::threads_or_all(options.threads), options.ranks.get());
  const auto moments = engine::measure_moments(samples, true, workers, options.stop);
  if (!moments) return std::nullopt;
  Matrix<double> rows = analysis;
  const Vector<double> variances = linalg::multiply(rows, moments->second_moment).cwiseProduct(rows).rowwise().sum();
  for (Index i = 0; i < rows.rows(); ++i) {
    if (variances[i] > 0) rows.row(i) /= std::sqrt(variances[i]);
  }
  const std::shared_ptr<const Stretch> cubes = make_stretch("l4");
  const engine::Pass pass(samples, *cubes, engine::Arithmetic::kF64, workers, options.stop);
  const auto sums = pass.run(rows, rows * moments->mean, engine::PassOutput::kObjective);
  return sums ? std::optional(sums->derivative_sums) : std::nullopt;
}

}  // namespace

void orient(const Samples& samples, const Options& options, Model* model) {
  const bool has_analysis = model->analysis.size() > 0;
  const auto skewness = has_analysis ? third_moments(samples, options, model->analysis)
                                     : code_statistics(*model, samples, {.threads = options.threads}).skewness;
  if (!skewness) return;
  for (Index i = 0; i < model->atoms(); ++i) {
    if ((*skewness)[i] >= 0) continue;
    model->dictionary.row(i) *= -1;
    if (has_analysis) model->analysis.row(i) *= -1;
  }
}

}  // namespace orthodict::solver
