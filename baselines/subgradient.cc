// SPDX-License-Identifier: Apache-2.0
#include "baselines/subgradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "baselines/common.h"
#include "baselines/reduced_samples.h"
#include "linalg/blas.h"
#include "orthodict/error.h"
#include "orthodict/metrics.h"
#include "solver/coordinates.h"
#include "solver/options.h"
#include "solver/start.h"

namespace orthodict::baselines {
namespace {

constexpr double kFirstStep = 0.5;
constexpr double kDecay = 0.7;
constexpr int kPatience = 10;                // passes with the first step without sufficient decrease
constexpr double kSufficientDecrease = .01;  // sufficient decrease, relative to step·‖gradient‖
constexpr int kStarts = 3;
constexpr double kSuspicious = 1.15;  // factor of the median objective of the atoms found
constexpr double kAgreement = 0.02;
constexpr int kMaxPasses = 1000;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The step sizes of one descent.
class Schedule {
 public:
  // The step after a pass that returned this objective and gradient norm.
  double next(double objective, double gradient_norm) {
    if (failures_ < kPatience) {
      const bool fell = objective < record_ - kSufficientDecrease * step_ * gradient_norm;
      if (fell) record_ = objective;
      failures_ = fell ? 0 : failures_ + 1;
    }
    if (failures_ == kPatience) step_ *= kDecay;
    return step_;
  }
  // Whether this is the first decreasing step, which starts from the best point so far.
  [[nodiscard]] bool starts_to_fall() const { return failures_ == kPatience && step_ == kFirstStep * kDecay; }

 private:
  double step_ = kFirstStep;
  double record_ = std::numeric_limits<double>::infinity();
  int failures_ = 0;
};

// The outcome of a descent.
struct Direction {
  Vector<double> q;
  Vector<double> gradient;
  double objective = std::numeric_limits<double>::infinity();
  bool converged = false;  // the schedule ended, or the truth confirmed the atom
  bool found = false;      // confirmed by the truth
};

class Subgradient {
 public:
  Subgradient(solver::Run& run, const SubgradientOptions& how)
      : run_(run),
        options_(run.options()),
        how_(how),
        moments_(run.measure(options_.center.value_or(false))),
        coordinates_(moments_, run.samples().name(), preprocessing(options_)),
        most_passes_(options_.max_iterations.value_or(kMaxPasses)) {
    describe();
    if (how_.truth) {
      validate_truth(*how_.truth, 1, coordinates_.features(), "truth");
      truth_ = coordinates_.from_dictionary(*how_.truth);
      for (Index i = 0; i < truth_.rows(); ++i) truth_.row(i).stableNormalize();
    }
  }

  FitResult run() {
    starts_.push_back(solver::start_of(options_, coordinates_, 0));
    samples_.emplace(run_, coordinates_);
    const Index atoms = std::min(coordinates_.atoms(), samples_->dimension());
    bool converged = true;
    while (static_cast<Index>(atoms_.size()) < atoms) {
      const std::optional<Direction> direction = find();
      if (!direction) return finish(Termination::kStopped);
      converged = converged && direction->converged;
      keep(*direction);
      if (record(*direction)) return finish(Termination::kStopped);
      if (const auto end = run_.out_of_time()) return finish(*end);
    }
    return finish(converged ? Termination::kConverged : Termination::kMaxIterations);
  }

 private:
  static solver::Preprocessing preprocessing(const Options& options) {
    const Whitening unset = options.dictionary == Dictionary::kComplete ? Whitening::kZca : Whitening::kNone;
    return {.whiten = options.whiten.value_or(unset), .center = options.center.value_or(false), .atoms = options.atoms};
  }

  // Finds the next atom, from one or more starts. Returns nothing if it was stopped.
  std::optional<Direction> find() {
    passes_ = 0;
    if (how_.truth) left_ = atoms_left();
    Direction best;
    for (int attempt = 0; attempt < kStarts; ++attempt) {
      std::optional<Direction> direction = descend(start(attempt));
      if (!direction) return std::nullopt;
      const double difference = std::abs(direction->objective - best.objective);
      const bool agrees = difference <= kAgreement * std::min(direction->objective, best.objective);
      if (attempt == 0 || direction->found || direction->objective < best.objective) best = *std::move(direction);
      const bool accepted = how_.truth ? best.found : agrees || is_plausible(best.objective);
      if (accepted || samples_->dimension() == 1 || is_used_up()) break;
    }
    return best;
  }

  [[nodiscard]] bool is_plausible(double objective) const {
    return !objectives_.empty() && objective <= kSuspicious * median(objectives_);
  }
  [[nodiscard]] bool is_used_up() const { return passes_ >= most_passes_ || run_.out_of_time(); }

  // The start of the search for an atom, in the basis of the samples: a row of the start or, if nothing of that row is
  // left outside the span of the atoms found, an axis.
  Vector<double> start(int attempt) {
    while (static_cast<int>(starts_.size()) <= attempt) {
      starts_.push_back(solver::start_of(options_, coordinates_, static_cast<int>(starts_.size())));
    }
    const Matrix<double>& rows = starts_[static_cast<std::size_t>(attempt)];
    const Vector<double> row = rows.row(static_cast<Index>(atoms_.size())).transpose().stableNormalized();
    const Vector<double> q = samples_->basis().transpose() * row;
    constexpr double kNothing = 1e-8;
    return q.norm() > kNothing ? Vector<double>(q.normalized()) : Vector<double>::Unit(q.size(), 0);
  }

  std::optional<Direction> descend(Vector<double> q) {
    Schedule schedule;
    Direction best;
    best.q = q;
    while (!is_used_up()) {
      const auto value = samples_->evaluate(q);
      if (!value) return std::nullopt;
      ++passes_;
      const double norm = value->gradient.norm();
      const bool found = how_.truth && is_found(q);
      if (found || value->objective < best.objective) best = {q, value->gradient, value->objective, found, found};
      best.converged = found || norm <= run_.summary().tolerance * value->objective;
      if (best.converged) break;
      step_ = schedule.next(value->objective, norm);
      best.converged = step_ <= run_.summary().tolerance;
      if (best.converged) break;
      if (schedule.starts_to_fall()) {
        q = (best.q - step_ * best.gradient.normalized()).normalized();
      } else {
        q = (q - (step_ / norm) * value->gradient).normalized();
      }
    }
    return best;
  }

  // The remainders of the true atoms in the basis of the samples, at unit norm. Atoms that lie mostly in the span of
  // the atoms found get less, and so are not found again.
  [[nodiscard]] Matrix<double> atoms_left() const {
    constexpr double kMost = 0.5;
    Matrix<double> left = linalg::multiply(truth_, samples_->basis());
    for (Index i = 0; i < left.rows(); ++i) left.row(i) /= std::max(left.row(i).norm(), kMost);
    return left;
  }

  [[nodiscard]] bool is_found(const Vector<double>& q) const {
    return std::pow((left_ * q).cwiseAbs().maxCoeff(), 4) >= 1 - how_.found_error;
  }

  void keep(const Direction& direction) {
    atoms_.emplace_back(samples_->basis() * direction.q);
    objectives_.push_back(direction.objective);
    samples_->leave_out(direction.q);
  }

  // The atoms found, then those of the basis.
  [[nodiscard]] Matrix<double> a() const {
    Matrix<double> rows = Matrix<double>::Zero(coordinates_.atoms(), coordinates_.dimension());
    const auto found = static_cast<Index>(atoms_.size());
    for (Index i = 0; i < found; ++i) rows.row(i) = atoms_[static_cast<std::size_t>(i)].transpose();
    const Index rest = std::min(rows.rows() - found, samples_->dimension());
    rows.middleRows(found, rest) = samples_->basis().leftCols(rest).transpose();
    return rows;
  }

  bool record(const Direction& direction) {
    const double size = coordinates_.rms() * static_cast<double>(run_.samples().size());
    const bool evaluated = std::isfinite(direction.objective);
    return run_.record({.iteration = static_cast<int>(atoms_.size()),
                        .objective = evaluated ? direction.objective * size : std::numeric_limits<double>::quiet_NaN(),
                        .step = step_,
                        .stage = Stage::kBaseline,
                        .samples = passes_ * run_.samples().size()},
                       [this] { return coordinates_.model(a()); });
  }

  void describe() {
    Summary& summary = run_.summary();
    summary.dictionary = coordinates_.is_whitened() ? Dictionary::kComplete : Dictionary::kOrthogonal;
    summary.center = options_.center.value_or(false);
    summary.tolerance = std::max(options_.tolerance.value_or(solver::kTolerance),
                                 solver::rounding_noise(Precision::kF64, coordinates_));
    summary.parameters = {{"first_step", kFirstStep}, {"decay", kDecay}, {"patience", kPatience}, {"starts", kStarts}};
    if (how_.truth) summary.parameters.emplace_back("found_error", how_.found_error);
    run_.describe_data(coordinates_);
  }

  FitResult finish(Termination termination) { return run_.finish(termination, coordinates_.model(a())); }

  solver::Run& run_;
  const Options& options_;
  const SubgradientOptions& how_;
  engine::Moments moments_;
  solver::Coordinates coordinates_;
  int most_passes_;
  Matrix<double> truth_;  // in the coordinates, one unit vector per row
  Matrix<double> left_;   // atoms_left() for this atom
  std::optional<ReducedSamples> samples_;
  std::vector<Matrix<double>> starts_;
  std::vector<Vector<double>> atoms_;  // in the coordinates
  std::vector<double> objectives_;
  int passes_ = 0;  // for this atom
  double step_ = kFirstStep;
};

}  // namespace

FitResult fit_subgradient(const Samples& samples, const Options& options, const SubgradientOptions& how) {
  const std::string method = how.truth ? "subgradient_oracle" : "subgradient";
  validate(options, method, true);
  require_real(samples, method);
  if (!(how.found_error > 0 && how.found_error < 1)) {
    throw option_error("found_error", fmt::format("{}", how.found_error), "a number in (0, 1)");
  }
  solver::Run run(samples, options, method);
  return Subgradient(run, how).run();
}

}  // namespace orthodict::baselines
