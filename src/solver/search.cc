// SPDX-License-Identifier: Apache-2.0
#include "solver/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "linalg/lapack.h"
#include "random/stream.h"
#include "solver/auto/constants.h"
#include "stretch/built_in.h"

namespace orthodict::solver {

using linalg::multiply;
using linalg::Op;

Search::Search(Run& run, Evidence& evidence, bool locate, bool is_basis, Resumable* saved)
    : run_(run),
      evidence_(evidence),
      saved_(saved ? saved : this),
      coordinates_(evidence.coordinates()),
      locates_(locate),
      is_basis_(is_basis),
      iteration_(run.summary().iterations),
      last_stretch_(stretch::soft(1)) {
  const Index d = coordinates_.dimension();
  restart(Matrix<double>::Identity(d, d));
}

void Search::restart(const Matrix<double>& a) {
  state_ = {.b = a, .inverse = a.transpose(), .shift = Vector<double>::Zero(a.cols())};
  row_steps_ = Vector<double>::Constant(a.rows(), std::numeric_limits<double>::infinity());
  mean_curvature_ = Vector<double>::Zero(a.rows());
  last_step_.reset();
}

void Search::turn_by_45_degrees(Index first, Index second, double angle) {
  const double half = std::sqrt(0.5);
  const Index reals = coordinates_.reals();
  if (is_complex()) {
    Matrix<double> transposed = state_.inverse.transpose();
    linalg::multiply_row(second, std::cos(angle), std::sin(angle), &state_.b);
    linalg::multiply_row(second, std::cos(angle), std::sin(angle), &transposed);
    state_.inverse = transposed.transpose();
  }
  for (Index part = 0; part < reals; ++part) {
    const Index i = first * reals + part, j = second * reals + part;
    const Eigen::RowVectorXd row = state_.b.row(i);
    state_.b.row(i) = half * (row + state_.b.row(j));
    state_.b.row(j) = half * (row - state_.b.row(j));
    const Vector<double> column = state_.inverse.col(i);
    state_.inverse.col(i) = half * (column + state_.inverse.col(j));
    state_.inverse.col(j) = half * (column - state_.inverse.col(j));
  }
}

void Search::restore(const State& state) {
  state_ = evaluated_ = state;
  state_.last_move.resize(0, 0);
  state_.pace.resize(0);
  row_steps_.setConstant(std::numeric_limits<double>::infinity());
  last_step_.reset();
}

void Search::perturb(double size, Index number) {
  const Index d = state_.b.rows();
  const random::Stream stream(run_.options().seed, random::Purpose::kShaking);
  const Matrix<double> noise =
      Matrix<double>::NullaryExpr(d, d, [&](Index i, Index j) { return stream.normal(number * d + i, j); });
  const Matrix<double> identity = Matrix<double>::Identity(d, d);
  // Half of the noise of complex atoms is lost in its nearest real form.
  const double spread = size / std::sqrt(static_cast<double>(d / coordinates_.reals()));
  const Matrix<double> turn = run_.project(identity + spread * noise, engine::Arithmetic::kF64);
  state_.b = multiply(turn, state_.b);
  state_.inverse = multiply(state_.inverse, Op::kNone, turn, Op::kTranspose);
}

void Search::polish(bool orthogonal) {
  const Index d = state_.b.rows();
  if (orthogonal) state_.b = run_.project(state_.b, engine::Arithmetic::kF64);
  state_.inverse = state_.b.transpose();
  if (!orthogonal) state_.inverse = linalg::solve(state_.b, Matrix<double>::Identity(d, d)).value_or(state_.inverse);
  evaluated_ = state_;
}

Model Search::model(const Vector<double>& confidence, const Repetition& repetition) const {
  return coordinates_.model(state_.b, state_.inverse, state_.shift, confidence, repetition);
}

View Search::part_to_explore(Index count, Precision precision) {
  return copy_part([&](const std::stop_token& stop) { return evidence_.part_to_explore(count, precision, stop); });
}

View Search::part_of_fold(const Fold& fold, Precision precision) {
  return copy_part([&](const std::stop_token& stop) { return evidence_.part_of_fold(fold, precision, stop); });
}

// A run that recalls what it did needs its parts whole: a stop waits until it is back at its work.
View Search::copy_part(const std::function<std::optional<View>(const std::stop_token&)>& copy) {
  const bool is_known = evidence_.recall_part();
  if (!is_known) evidence_.reach(saved_);
  std::optional<View> part = copy(is_known ? std::stop_token() : run_.options().stop);
  if (!part) {
    evidence_.save(saved_);
    step_back();
    throw RunEnded{Termination::kStopped};
  }
  if (!is_known) evidence_.note_part();
  return *std::move(part);
}

void Search::take_step(const View& view, const std::shared_ptr<const Stretch>& stretch, engine::PassOutput output,
                       Stage stage, const std::function<void(const engine::PassResult&)>& move) {
  if (const auto known = evidence_.recall_step()) {
    recall_step(view, stretch, stage, *known);
    return;
  }
  evidence_.reach(saved_);
  check_limits();
  const auto sums = view.pass(state_.b, state_.shift, *stretch, output);
  const bool is_stopped = !sums || record(view, stretch, stage, *sums);
  if (is_stopped) {
    evidence_.save(saved_);
    if (!sums) step_back();
    throw RunEnded{Termination::kStopped};
  }
  mean_curvature_ = sums->curvature_sums / static_cast<double>(view.size());
  move(*sums);
  evidence_.note(outcome());
}

void Search::check_limits() {
  const auto& most = run_.options().max_iterations;
  if (most && iteration_ >= *most) end(Termination::kMaxIterations);
  if (const auto late = run_.out_of_time()) end(*late);
}

void Search::end(Termination termination) {
  evidence_.save(saved_);
  throw RunEnded{termination};
}

bool Search::record(const View& view, const std::shared_ptr<const Stretch>& stretch, Stage stage,
                    const engine::PassResult& sums) {
  evaluated_ = state_;
  objective_ = sums.objective();
  last_stretch_ = stretch;
  last_stage_ = stage;
  return run_.record(
      {.iteration = iteration_, .objective = objective_, .step = last_step_, .stage = stage, .samples = view.size()},
      [this] { return model(Vector<double>::Zero(state_.b.rows())); });
}

void Search::step_back() {
  if (evaluated_.b.size() > 0) state_ = evaluated_;
  run_.summary().iterations = iteration_ = std::max(iteration_ - 1, 0);
}

std::optional<Termination> Search::evaluate(const View& view) {
  const auto sums = view.pass(state_.b, state_.shift, *last_stretch_, engine::PassOutput::kObjective);
  if (!sums) step_back();
  const bool is_stopped = !sums || record(view, last_stretch_, last_stage_, *sums);
  return is_stopped ? std::optional(Termination::kStopped) : std::nullopt;
}

StepOutcome Search::outcome() const {
  return {.row_steps = row_steps_,
          .energy_step = energy_step_,
          .mean_curvature = mean_curvature_,
          .objective = objective_,
          .passes = run_.summary().passes};
}

void Search::recall_step(const View& view, const std::shared_ptr<const Stretch>& stretch, Stage stage,
                         const StepOutcome& outcome) {
  const auto& most = run_.options().max_iterations;
  if (most && iteration_ >= *most) run_.checkpoint().refuse_iterations(*most);
  last_stretch_ = stretch;
  last_stage_ = stage;
  run_.record_again({.iteration = iteration_,
                     .objective = outcome.objective,
                     .step = last_step_,
                     .stage = stage,
                     .samples = view.size()});
  objective_ = outcome.objective;
  row_steps_ = outcome.row_steps;
  energy_step_ = outcome.energy_step;
  mean_curvature_ = outcome.mean_curvature;
  last_step_ = step();
  run_.summary().passes = outcome.passes;
  run_.summary().iterations = ++iteration_;
}

std::shared_ptr<const Search::State> Search::keep() {
  auto copy = std::make_shared<State>(state_);
  kept_.emplace_back(copy);
  return copy;
}

void Search::save_as(const std::string& prefix, formats::NpzBuilder* file) const {
  const auto add = [&](const std::string& name, const State& state) {
    file->add(prefix + name + "b", RowMatrix<double>(state.b));
    file->add(prefix + name + "inverse", RowMatrix<double>(state.inverse));
    file->add(prefix + name + "shift", state.shift);
  };
  add("", state_);
  if (state_.pace.size() > 0) {
    file->add(prefix + "last_move", RowMatrix<double>(state_.last_move));
    file->add(prefix + "pace", state_.pace);
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (const auto state = kept_[i].lock()) add(fmt::format("kept{}_", i), *state);
  }
}

void Search::load_as(const std::string& prefix, const formats::NpzFile& file) {
  const Index d = coordinates_.dimension();
  const Checkpoint& checkpoint = run_.checkpoint();
  const auto state = [&](const std::string& name) {
    return State{checkpoint.matrix(file, prefix + name + "b", d, d),
                 checkpoint.matrix(file, prefix + name + "inverse", d, d),
                 checkpoint.matrix(file, prefix + name + "shift", d, 1)};
  };
  state_ = state("");
  if (file.contains(prefix + "pace")) {
    state_.last_move = checkpoint.matrix(file, prefix + "last_move", d, d);
    state_.pace = checkpoint.matrix(file, prefix + "pace", d, 1);
  }
  evaluated_ = state_;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (const auto kept = kept_[i].lock()) *kept = state(fmt::format("kept{}_", i));
  }
}

void Search::project_paced(const View& view, const std::shared_ptr<const Stretch>& stretch, Bias bias, Stage stage) {
  take_step(view, stretch, engine::PassOutput::kCorrelation, stage,
            [&](const engine::PassResult& sums) { move_by_projection(view, sums, bias, /*paced=*/true); });
}

void Search::project(const View& view, const std::shared_ptr<const Stretch>& stretch, Bias bias, Stage stage) {
  take_step(view, stretch, engine::PassOutput::kCorrelation, stage,
            [&](const engine::PassResult& sums) { move_by_projection(view, sums, bias); });
}

// Σhxᵀ, about the means of both where the point that is subtracted moves: with an intercept, so that what it is off by
// doesn't turn the atoms.
Matrix<double> Search::correlation(const View& view, const engine::PassResult& result) const {
  if (!locates_) return result.correlation;
  return result.correlation - linalg::outer(result.derivative_sums, view.mean() - state_.shift, is_complex());
}

const Vector<double>& Search::centre(const View& view) const { return locates_ ? view.mean() : state_.shift; }

Matrix<double> Search::polar(const Matrix<double>& g, const View& view) {
  return run_.project(g, view.precision() == Precision::kF32 ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64);
}

Matrix<double> Search::paced(Matrix<double> b, const View& view) {
  Matrix<double> move(b.rows(), b.cols());
  Vector<double> pace = state_.pace.size() > 0 ? state_.pace : Vector<double>(Vector<double>::Ones(b.rows()));
  align(state_.b, is_complex(), &b);  // a direction has no sign, and no phase
  for (Index i = 0; i < b.rows(); ++i) {
    move.row(i) = b.row(i) - state_.b.row(i);
    if (state_.last_move.size() == 0) continue;
    // Where errors are multiplied by λ in a step, they are so by 1 − pace·(1 − λ) in one that is lengthened.
    const double factor = move.row(i).dot(state_.last_move.row(i)) / state_.last_move.row(i).squaredNorm();
    const double best = pace[i] / std::max(1 - factor, kTinyShare);
    if (std::isfinite(best)) pace[i] = std::clamp(best, kSlowestPace, kFastestPace);
  }
  if ((pace.array() != 1).any()) b = polar(state_.b + pace.asDiagonal() * move, view);
  state_.last_move = std::move(move);
  state_.pace = std::move(pace);
  return b;
}

void Search::move_by_projection(const View& view, const engine::PassResult& result, Bias bias, bool paced) {
  Matrix<double> g = correlation(view, result) / static_cast<double>(view.size());
  if (bias != Bias::kKept) {
    const Matrix<double> moments = multiply(state_.b, view.second_moment(centre(view)));
    const double pooled = leaders_.empty() ? mean_curvature_.mean() : mean_curvature_(leaders_).mean();
    const Vector<double> means =
        bias == Bias::kPerAtom ? mean_curvature_ : Vector<double>(Vector<double>::Constant(g.rows(), pooled));
    g -= means.asDiagonal() * moments;
    if (!leaders_.empty()) follow(moments, pooled, &g);
  }
  // Nothing passes the threshold, and everything does: no direction is better than another.
  if (g.isZero(0)) g = state_.b;
  Matrix<double> b = paced ? this->paced(polar(g, view), view) : polar(g, view);
  Matrix<double> inverse = b.transpose();
  if (bias == Bias::kPooled) locate(view, result);
  move_to(std::move(b), std::move(inverse));
}

void Search::follow(const Matrix<double>& moments, double pooled, Matrix<double>* g) const {
  Matrix<double> result = std::max(1 - pooled, kLeastPull) * moments;
  result(leaders_, Eigen::all) = (*g)(leaders_, Eigen::all);
  *g = std::move(result);
}

void Search::regress(const View& view, const std::shared_ptr<const Stretch>& stretch, Stage stage) {
  take_step(view, stretch, engine::PassOutput::kRegression, stage,
            [&](const engine::PassResult& sums) { move_by_regression(view, sums); });
}

void Search::move_by_regression(const View& view, const engine::PassResult& result) {
  std::optional<Matrix<double>> b = regression(view, result);
  const Index d = state_.b.rows();
  std::optional<Matrix<double>> inverse;
  if (b) inverse = linalg::solve(*b, Matrix<double>::Identity(d, d));
  if (inverse) {
    locate(view, result);
    move_to(*std::move(b), *std::move(inverse));
  } else {
    move_by_projection(view, result, Bias::kPooled);
  }
}

std::optional<Matrix<double>> Search::regression(const View& view, const engine::PassResult& result) const {
  Matrix<double> gram = result.gram.selfadjointView<Eigen::Lower>();
  if (locates_) {
    gram -=
        linalg::outer(result.derivative_sums, result.derivative_sums, is_complex()) / static_cast<double>(view.size());
  }
  const auto transposed = linalg::solve(correlation(view, result), gram);  // D⁻ᵀ
  if (!transposed) return std::nullopt;
  Matrix<double> move = multiply(*transposed, Op::kTranspose, state_.inverse, Op::kNone);  // near the identity
  const Index reals = coordinates_.reals();
  for (Index i = 0; i < move.rows(); i += reals) {
    const double longer = 1 / (1 - std::clamp(mean_curvature_[i], 0.0, kMostCurvature));
    if (is_complex()) {
      const double re = move(i, i), im = move(i + 1, i), square = re * re + im * im;
      linalg::multiply_row(i / 2, longer * re / square, -longer * im / square, &move);
    } else {
      move.row(i) *= longer / move(i, i);
    }
    move.block(i, i, reals, reals).setIdentity();
  }
  Matrix<double> b = multiply(move, state_.b);
  const Matrix<double> spread = multiply(b, view.second_moment(state_.shift)).cwiseProduct(b);
  b = spread.rowwise().sum().cwiseSqrt().cwiseInverse().asDiagonal() * b;
  if (!b.allFinite()) return std::nullopt;
  return b;
}

void Search::move_to(Matrix<double> b, Matrix<double> inverse) {
  // Rows have unit spread over the samples at hand, which differ from view to view: a change of length is no step.
  const Vector<double> lengths = state_.b.rowwise().norm().cwiseQuotient(b.rowwise().norm());
  row_steps_ = solver::row_steps(state_.b, lengths.asDiagonal() * b, is_complex());
  if (is_basis_) {
    const Vector<double> energy = multiply(b, coordinates_.unit_covariance()).cwiseProduct(b).rowwise().sum();
    energy_step_ = std::sqrt(row_steps_.cwiseAbs2().dot(energy) / energy.sum());
  }
  last_step_ = step();
  run_.summary().iterations = ++iteration_;
  state_.b = std::move(b);
  state_.inverse = std::move(inverse);
}

// Newton's step for the location of each coefficient, whose score is z − h(z).
void Search::locate(const View& view, const engine::PassResult& result) {
  if (!locates_) return;
  const Vector<double> mean = state_.b * (view.mean() - state_.shift);
  const Vector<double> score = mean - result.derivative_sums / static_cast<double>(view.size());
  const Vector<double> slope = (1 - mean_curvature_.array()).max(kLeastSlope);
  state_.shift += state_.inverse * score.cwiseQuotient(slope);
  // No peak is further from the mean than √3 standard deviations (Johnson and Rogers, Annals of Mathematical Statistics
  // 1951), and coefficients are uncorrelated. Where samples are too few to tell, the step would run away.
  const Vector<double> from_mean = state_.shift - view.mean();
  const double furthest =
      std::sqrt(3 * view.second_moment(view.mean()).trace() / static_cast<double>(coordinates_.reals()));
  if (from_mean.norm() > furthest) state_.shift = view.mean() + from_mean * (furthest / from_mean.norm());
}

}  // namespace orthodict::solver
