// SPDX-License-Identifier: Apache-2.0
#include "solver/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/blas.h"
#include "linalg/lapack.h"

namespace orthodict::solver {

using linalg::multiply;
using linalg::Op;

Search::Search(Run& run, const Coordinates& coordinates, bool locate)
    : run_(run), coordinates_(coordinates), locates_(locate), iteration_(run.summary().iterations) {
  const Index d = coordinates.dimension();
  restart(Matrix<double>::Identity(d, d));
}

void Search::restart(const Matrix<double>& a) {
  state_ = {a, a.transpose(), Vector<double>::Zero(a.cols())};
  row_steps_ = Vector<double>::Constant(a.rows(), std::numeric_limits<double>::infinity());
  mean_curvature_ = Vector<double>::Zero(a.rows());
  last_step_.reset();
}

void Search::turn_by_45_degrees(Index i, Index j) {
  const double half = std::sqrt(0.5);
  const Eigen::RowVectorXd row = state_.b.row(i);
  state_.b.row(i) = half * (row + state_.b.row(j));
  state_.b.row(j) = half * (row - state_.b.row(j));
  const Vector<double> column = state_.inverse.col(i);
  state_.inverse.col(i) = half * (column + state_.inverse.col(j));
  state_.inverse.col(j) = half * (column - state_.inverse.col(j));
}

void Search::restore(const State& state) {
  state_ = evaluated_ = state;
  row_steps_.setConstant(std::numeric_limits<double>::infinity());
  last_step_.reset();
}

void Search::polish(bool orthogonal) {
  const Index d = state_.b.rows();
  if (orthogonal) state_.b = run_.project(state_.b, engine::Arithmetic::kF64);
  state_.inverse = state_.b.transpose();
  if (!orthogonal) state_.inverse = linalg::solve(state_.b, Matrix<double>::Identity(d, d)).value_or(state_.inverse);
  evaluated_ = state_;
}

Model Search::model(const Vector<double>& confidence) const {
  Model model = coordinates_.model(state_.b, state_.inverse, state_.shift, confidence);
  const Index atoms = run_.options().atoms.value_or(model.atoms());
  if (atoms < model.atoms()) {
    model.dictionary.conservativeResize(atoms, Eigen::NoChange);
    model.analysis.conservativeResize(atoms, Eigen::NoChange);
    model.confidence.conservativeResize(atoms);
  }
  return model;
}

std::optional<engine::PassResult> Search::look(const View& view, const Stretch& stretch, engine::Want want,
                                               Stage stage) {
  if (!ended_ && run_.options().max_iterations && iteration_ >= *run_.options().max_iterations) {
    ended_ = Termination::kMaxIterations;
  }
  if (!ended_) ended_ = run_.out_of_time();
  if (ended_) return std::nullopt;
  auto result = pass(view, stretch, want, stage);
  if (ended_) return std::nullopt;
  mean_curvature_ = result->curvature_sums / static_cast<double>(view.size());
  return result;
}

std::optional<engine::PassResult> Search::pass(const View& view, const Stretch& stretch, engine::Want want,
                                               Stage stage) {
  auto result = view.pass(state_.b, state_.shift, stretch, want);
  if (!result) {
    if (evaluated_.b.size() > 0) state_ = evaluated_;
    run_.summary().iterations = iteration_ = std::max(iteration_ - 1, 0);
    ended_ = Termination::kStopped;
    return std::nullopt;
  }
  evaluated_ = state_;
  last_stretch_ = stretch.name();
  last_stage_ = stage;
  const bool stop = run_.record({.iteration = iteration_,
                                 .objective = result->objective,
                                 .step = last_step_,
                                 .stage = stage,
                                 .samples = view.size()},
                                [this] { return model(Vector<double>::Zero(state_.b.rows())); });
  if (stop) ended_ = Termination::kStopped;
  return result;
}

void Search::evaluate(const View& view) {
  if (ended_ == Termination::kStopped) return;
  (void)pass(view, *make_stretch(last_stretch_), engine::Want::kObjective, last_stage_);
}

bool Search::project(const View& view, const Stretch& stretch, Bias bias, Stage stage) {
  const auto result = look(view, stretch, engine::Want::kCorrelation, stage);
  if (result) move_by_projection(view, *result, bias);
  return result.has_value();
}

// Σhxᵀ, about the means of both where the point that is subtracted moves: with an intercept, so that what it is off by
// doesn't turn the atoms.
Matrix<double> Search::correlation(const View& view, const engine::PassResult& result) const {
  if (!locates_) return result.correlation;
  return result.correlation - result.derivative_sums * (view.mean() - state_.shift).transpose();
}

const Vector<double>& Search::centre(const View& view) const { return locates_ ? view.mean() : state_.shift; }

void Search::move_by_projection(const View& view, const engine::PassResult& result, Bias bias) {
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
  Matrix<double> b =
      run_.project(g, view.precision() == Precision::kF32 ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64);
  Matrix<double> inverse = b.transpose();
  if (bias == Bias::kPooled) locate(view, result);
  move_to(std::move(b), std::move(inverse));
}

void Search::follow(const Matrix<double>& moments, double pooled, Matrix<double>* g) const {
  constexpr double kLeastPull = 0.05;
  Matrix<double> result = std::max(1 - pooled, kLeastPull) * moments;
  result(leaders_, Eigen::all) = (*g)(leaders_, Eigen::all);
  *g = std::move(result);
}

bool Search::regress(const View& view, const Stretch& stretch, Stage stage) {
  const auto result = look(view, stretch, engine::Want::kRegression, stage);
  if (!result) return false;
  std::optional<Matrix<double>> b = regression(view, *result);
  const Index d = state_.b.rows();
  std::optional<Matrix<double>> inverse;
  if (b) inverse = linalg::solve(*b, Matrix<double>::Identity(d, d));
  if (inverse) {
    locate(view, *result);
    move_to(*std::move(b), *std::move(inverse));
  } else {
    move_by_projection(view, *result, Bias::kPooled);
  }
  return true;
}

std::optional<Matrix<double>> Search::regression(const View& view, const engine::PassResult& result) const {
  // A longer step than this is more than a linear model of the step can promise.
  constexpr double kMostCurvature = 0.8;
  Matrix<double> gram = result.gram.selfadjointView<Eigen::Lower>();
  if (locates_) gram -= result.derivative_sums * result.derivative_sums.transpose() / static_cast<double>(view.size());
  const auto transposed = linalg::solve(correlation(view, result), gram);  // D⁻ᵀ
  if (!transposed) return std::nullopt;
  Matrix<double> move = multiply(*transposed, Op::kTranspose, state_.inverse, Op::kNone);  // near the identity
  for (Index i = 0; i < move.rows(); ++i) {
    const double longer = 1 / (1 - std::clamp(mean_curvature_[i], 0.0, kMostCurvature));
    const double scale = move(i, i);
    move.row(i) *= longer / scale;
    move(i, i) = 1;
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
  row_steps_ = solver::row_steps(state_.b, lengths.asDiagonal() * b);
  last_step_ = step();
  run_.summary().iterations = ++iteration_;
  state_.b = std::move(b);
  state_.inverse = std::move(inverse);
}

// Newton's step for the location of each coefficient, whose score is z − h(z).
void Search::locate(const View& view, const engine::PassResult& result) {
  if (!locates_) return;
  constexpr double kLeastSlope = 0.05;
  const Vector<double> mean = state_.b * (view.mean() - state_.shift);
  const Vector<double> score = mean - result.derivative_sums / static_cast<double>(view.size());
  const Vector<double> slope = (1 - mean_curvature_.array()).max(kLeastSlope);
  state_.shift += state_.inverse * score.cwiseQuotient(slope);
}

}  // namespace orthodict::solver
