// SPDX-License-Identifier: Apache-2.0
// Match, stretch, project: the loop and its steps.
#include "solver/msp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "orthodict/error.h"
#include "solver/coordinates.h"
#include "solver/options.h"
#include "solver/start.h"

namespace orthodict::solver {
namespace {

constexpr int kMaxIterations = 500;

class Msp final : public Iterand {
 public:
  explicit Msp(Run& run)
      : run_(run),
        options_(run.options()),
        stretch_(stretch_of(options_)),
        moments_(run.measure(options_.center.value_or(false))),
        coordinates_(moments_, run.samples().name(), preprocessing(options_)) {
    describe();
    choose_precision();
    run_.journal().open(run_.summary(), run_.samples(), moments_);
  }

  FitResult run() {
    a_ = initialize();
    std::optional<double> step;
    int iteration = 0;
    for (; run_.journal().is_replaying(); ++iteration) step = repeat(iteration, step);
    run_.journal().reach(this);
    Matrix<double> last_evaluated = a_;
    for (;; ++iteration) {
      const std::optional<Termination> end = reason_to_end(iteration, step);
      if (end && *end != Termination::kConverged) run_.journal().save(*this);
      const auto result = match_and_stretch(end ? engine::Want::kObjective : engine::Want::kCorrelation);
      if (!result) {
        run_.journal().save(*this);
        a_ = last_evaluated;
        return finish(Termination::kStopped);
      }
      if (record(iteration, result->objective, step)) {
        run_.journal().save(*this);
        return finish(Termination::kStopped);
      }
      if (end) return finish(*end);
      last_evaluated = a_;
      a_ = project(direction(*result));
      step = step_length(row_steps(last_evaluated, a_));
      run_.journal().note(Journal::Entry{{result->objective, *step}});
      run_.journal().reach(this);
    }
  }

  void save(data::NpzBuilder* file) const override { file->add("a", RowMatrix<double>(a_)); }
  void load(const data::NpzFile& file) override { a_ = run_.journal().matrix(file, "a", a_.rows(), a_.cols()); }

 private:
  static Preprocessing preprocessing(const Options& options) {
    const Whitening unset = options.dictionary == Dictionary::kComplete ? Whitening::kZca : Whitening::kNone;
    return {.whiten = options.whiten.value_or(unset),
            .center = options.center.value_or(false),
            .atoms = options.atoms,
            .theta = options.theta.value_or(1)};
  }

  Matrix<double> initialize() {
    const Matrix<double> start = start_of(options_, coordinates_, std::nullopt, 0);
    const bool given = options_.init == Initialization::kGiven;
    return given || coordinates_.is_restricted() ? run_.project(start, projection_arithmetic()) : start;
  }

  // An iteration that is recalled; returns its step.
  double repeat(int iteration, std::optional<double> step) {
    if (iteration >= most_iterations()) {
      run_.journal().refuse(fmt::format("made after more iterations than max_iterations = {}", most_iterations()));
    }
    const Journal::Entry entry = run_.journal().recall(2, {});
    ++run_.summary().passes;
    run_.record_again(record_of(iteration, entry[0], step));
    return entry[1];
  }

  [[nodiscard]] int most_iterations() const { return options_.max_iterations.value_or(kMaxIterations); }
  std::optional<Termination> reason_to_end(int iteration, std::optional<double> step) const {
    if (step && *step <= run_.summary().tolerance) return Termination::kConverged;
    if (iteration >= most_iterations()) return Termination::kMaxIterations;
    return run_.out_of_time();
  }

  std::optional<engine::PassResult> match_and_stretch(engine::Want want) {
    const Matrix<double> matcher = coordinates_.matcher(a_);
    return run_.pass(run_.samples(), *stretch_, is_single() ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64,
                     matcher, coordinates_.offset(matcher), want);
  }

  // The matrix to project: ∇Σφ, less its bias, plus A/step for projected gradient ascent. Coefficients were stretched
  // in units of their rms s, so everything here is divided by s^(q−1), q the degree of φ: φ'(z) = s^(q−1)·φ'(z/s).
  // A φ without a degree is a function of z/s, whose gradient has the factor 1/s: q = 0.
  Matrix<double> direction(const engine::PassResult& result) const {
    Matrix<double> g = coordinates_.pull_back(result.correlation, result.derivative_sums);
    const double unit = std::pow(coordinates_.rms(), stretch_->degree().value_or(0) - 1);
    if (run_.summary().remove_bias) subtract_bias(result, unit, &g);
    const double pull = 1 / (options_.step * unit);
    if (pull > 0) g += pull * a_;
    return g;
  }

  void subtract_bias(const engine::PassResult& result, double unit, Matrix<double>* g) const {
    if (options_.theta) {  // the paper's 12pθ²A, for φ = z⁴ times φ(1)
      const double bias = 12 * stretch_->value(1) * static_cast<double>(run_.samples().size()) * *options_.theta *
                          *options_.theta / unit;
      *g -= options_.bias_fraction * bias * a_;
      return;
    }
    const Vector<double> bias = options_.bias_fraction * coordinates_.rms() * result.curvature_sums;
    *g -= bias.asDiagonal() * coordinates_.times_unit_covariance(a_);
  }

  Matrix<double> project(const Matrix<double>& g) {
    if (g.isZero(0)) {
      throw option_error("stretch", stretch_->name(), "one that some coefficient passes: none exceeds the threshold");
    }
    if (!g.allFinite()) {
      throw data_error(run_.samples().name(),
                       fmt::format("the stretch {} overflows {} on these data{}", stretch_->name(),
                                   name_of(run_.summary().precision), is_single() ? "; try f64" : ""));
    }
    return run_.project(g, projection_arithmetic());
  }

  [[nodiscard]] IterationRecord record_of(int iteration, double scaled_objective, std::optional<double> step) const {
    const double objective = scaled_objective * std::pow(coordinates_.rms(), stretch_->degree().value_or(0));
    return {.iteration = iteration, .objective = objective, .step = step, .samples = run_.samples().size()};
  }
  bool record(int iteration, double scaled_objective, std::optional<double> step) {
    return run_.record(record_of(iteration, scaled_objective, step), [this] { return coordinates_.model(a_); });
  }

  void describe() {
    Summary& summary = run_.summary();
    summary.dictionary = coordinates_.is_whitened() ? Dictionary::kComplete : Dictionary::kOrthogonal;
    summary.center = options_.center.value_or(false);
    summary.stretch = stretch_->name();
    summary.remove_bias = options_.remove_bias.value_or(stretch_->is_subquadratic());
    run_.describe_data(coordinates_);
  }

  // Unasked, mixed precision where it loses nothing: single precision holds the samples, no large mean hides what is to
  // be learned, powers don't overflow, and the tolerance asks for no more than passes in single precision give.
  void choose_precision() {
    Summary& summary = run_.summary();
    const double size = size_of_values(moments_, summary.center);
    const double mean_square = moments_.mean.squaredNorm() / static_cast<double>(moments_.mean.size());
    const bool mixed = run_.samples().fits_f32() && size > Run::kSmallestSingle && size < Run::kLargestSingle &&
                       mean_square <= size * size / 2 && stretch_->degree().value_or(0) <= 10 &&
                       options_.tolerance >= rounding_noise(Precision::kMixed, coordinates_);
    summary.precision = options_.precision.value_or(mixed ? Precision::kMixed : Precision::kF64);
    if (summary.precision == Precision::kMixed && !is_resolvable(Precision::kMixed, size, coordinates_)) {
      summary.precision = Precision::kF64;
    }
    run_.require_resolvable(summary.precision, size, coordinates_);
    const double noise = rounding_noise(summary.precision, coordinates_);
    summary.tolerance = std::max(options_.tolerance, noise);
  }
  [[nodiscard]] bool is_single() const { return run_.summary().precision != Precision::kF64; }
  [[nodiscard]] engine::Arithmetic projection_arithmetic() const {
    return run_.summary().precision == Precision::kF32 ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64;
  }

  FitResult finish(Termination termination) { return run_.finish(termination, coordinates_.model(a_)); }

  Run& run_;
  const Options& options_;
  std::shared_ptr<const Stretch> stretch_;
  engine::Moments moments_;
  Coordinates coordinates_;
  Matrix<double> a_;
};

}  // namespace

FitResult run_msp(Run& run) { return Msp(run).run(); }

}  // namespace orthodict::solver
