// SPDX-License-Identifier: Apache-2.0
#include "baselines/fastica.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "baselines/common.h"
#include "solver/coordinates.h"
#include "solver/msp.h"
#include "solver/options.h"
#include "solver/span.h"
#include "solver/start.h"

namespace orthodict::baselines {
namespace {

Options with_defaults(const Options& options) {
  Options filled = options;
  const bool orthogonal = options.dictionary == Dictionary::kOrthogonal;
  filled.whiten = options.whiten.value_or(orthogonal ? Whitening::kNone : Whitening::kPca);
  filled.center = options.center.value_or(true);
  filled.init = solver::init_of(options);
  return filled;
}

class Deflation {
 public:
  explicit Deflation(solver::Run& run)
      : run_(run),
        stretch_(make_stretch("logcosh")),
        moments_(run.measure(*run.options().center)),
        coordinates_(moments_, run.samples().name(),
                     {.whiten = *run.options().whiten, .center = *run.options().center, .atoms = run.options().atoms}) {
    run_.describe_data(coordinates_);
    Summary& summary = run_.summary();
    summary.dictionary = coordinates_.is_whitened() ? Dictionary::kComplete : Dictionary::kOrthogonal;
    summary.center = *run.options().center;
    summary.stretch = stretch_->name();
    summary.remove_bias = true;
    summary.tolerance = std::max(run.options().tolerance.value_or(solver::kTolerance),
                                 solver::rounding_noise(Precision::kF64, coordinates_));
  }

  FitResult run() {
    a_ = solver::start_of(run_.options(), coordinates_, 0);
    bool converged = true;
    for (Index atom = 0; atom < independent_rows(); ++atom) {
      const int passes_before = run_.summary().passes;
      const std::optional<bool> found = find(atom);
      if (!found) return finish(Termination::kStopped);
      converged = converged && *found;
      const bool stop = run_.record({.iteration = static_cast<int>(atom) + 1,
                                     .objective = objective_,
                                     .step = step_,
                                     .stage = Stage::kBaseline,
                                     .samples = (run_.summary().passes - passes_before) * run_.samples().size()},
                                    [this] { return model(); });
      if (stop) return finish(Termination::kStopped);
      if (const auto end = run_.out_of_time()) return finish(*end);
    }
    return finish(converged ? Termination::kConverged : Termination::kMaxIterations);
  }

 private:
  // If the samples' rank is less than the number of atoms, the coordinates complete the model.
  [[nodiscard]] Index independent_rows() const { return std::min(a_.rows(), a_.cols()); }

  // Returns whether the iteration for one row of A converged, or nothing if it was stopped.
  std::optional<bool> find(Index atom) {
    const int most = run_.options().max_iterations.value_or(200);
    orthonormalize(atom, &a_);
    for (int iteration = 0; iteration < most && !run_.out_of_time(); ++iteration) {
      const Matrix<double> row = a_.row(atom);
      const Matrix<double> matcher = coordinates_.matcher(row);
      const auto result = run_.pass(run_.samples(), *stretch_, engine::Arithmetic::kF64, matcher,
                                    coordinates_.offset(matcher), engine::PassOutput::kCorrelation);
      if (!result) return std::nullopt;
      objective_ = result->objective();
      a_.row(atom) = coordinates_.pull_back(result->correlation, result->derivative_sums) -
                     coordinates_.rms() * result->curvature_sums[0] * coordinates_.times_unit_covariance(row);
      orthonormalize(atom, &a_);
      step_ = solver::step_length(solver::row_steps(row, a_.row(atom)));
      if (*step_ <= run_.summary().tolerance) return true;
    }
    return false;
  }

  // Makes a row a unit vector orthogonal to the rows before it. If nothing of it remains, an axis replaces it; some
  // axis has a remainder of at least 1/√columns.
  static void orthonormalize(Index atom, Matrix<double>* a) {
    constexpr double kNothing = 1e-10;
    a->row(atom).stableNormalize();
    double left = subtract_rows_before(atom, a);
    for (Index axis = 0; !(left > kNothing) && axis < a->cols(); ++axis) {
      a->row(atom) = Vector<double>::Unit(a->cols(), axis);
      left = subtract_rows_before(atom, a);
      if (left * left < 0.5 / static_cast<double>(a->cols())) left = 0;
    }
    a->row(atom).normalize();
    subtract_rows_before(atom, a);  // twice is enough (Kahan)
    a->row(atom).normalize();
  }

  // Returns the norm of the remainder of a unit vector.
  static double subtract_rows_before(Index atom, Matrix<double>* a) {
    const auto before = a->topRows(atom);
    a->row(atom) -= (a->row(atom) * before.transpose()) * before;
    return a->row(atom).norm();
  }

  // Rows that were not reached are still those of the start, made orthonormal to the atoms found.
  [[nodiscard]] Model model() const {
    Matrix<double> a = a_;
    for (Index atom = 0; atom < independent_rows(); ++atom) orthonormalize(atom, &a);
    a.bottomRows(a.rows() - independent_rows()).setZero();
    return coordinates_.model(a);
  }

  FitResult finish(Termination termination) { return run_.finish(termination, model()); }

  solver::Run& run_;
  std::shared_ptr<const Stretch> stretch_;
  engine::Moments moments_;
  solver::Coordinates coordinates_;
  Matrix<double> a_;
  double objective_ = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> step_;
};

}  // namespace

FitResult fit_fastica(const Samples& samples, const Options& options) {
  validate(options, "fastica", true);
  Options filled = with_defaults(options);
  filled.method = Method::kMsp;
  filled.stretch = "logcosh";
  return solver::learn(samples, filled, "fastica", solver::run_msp);
}

FitResult fit_fastica_deflation(const Samples& samples, const Options& options) {
  validate(options, "fastica_deflation", true);
  require_real(samples, "fastica_deflation");
  const Options filled = with_defaults(options);
  solver::Run run(samples, filled, "fastica_deflation");
  return Deflation(run).run();
}

}  // namespace orthodict::baselines
