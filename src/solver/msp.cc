// SPDX-License-Identifier: Apache-2.0
// Method msp: match, stretch, project.
#include "solver/msp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "orthodict/array.h"
#include "orthodict/error.h"
#include "solver/ascent.h"
#include "solver/consensus/consensus.h"
#include "solver/coordinates.h"
#include "solver/lens.h"
#include "solver/normalize.h"
#include "solver/options.h"
#include "solver/selected_samples.h"
#include "solver/start.h"

namespace orthodict::solver {
namespace {

constexpr int kMaxIterations = 500;
constexpr double kNear = 10;          // gradient in units of single precision's rounding noise
constexpr double kCancellation = 64;  // of sums over many coefficients, in units of their rounding

class Msp final : public Resumable {
 public:
  explicit Msp(Run& run)
      : run_(run),
        options_(run.options()),
        stretch_(stretch_of(options_)),
        moments_(measure(run)),
        own_coordinates_(std::in_place, moments_, run.samples().name(), preprocessing(run)),
        coordinates_(*own_coordinates_),
        unit_covariance_(coordinates_.unit_covariance()),
        removes_bias_(options_.remove_bias.value_or(stretch_->is_subquadratic())),
        precision_(choose_precision()),
        tolerance_(std::max(options_.tolerance.value_or(kTolerance), rounding_noise(precision_, coordinates_))),
        ascent_(make_ascent()),
        is_far_(ascent_ && !options_.precision && precision_ == Precision::kF64 && is_fit_for_single() &&
                is_resolvable(Precision::kMixed, size_of_values(moments_, is_centred(options_)), coordinates_)) {
    describe();
    run_.checkpoint().open(run_.summary(), run_.samples(), moments_);
  }

  // A run beside another one, on its samples.
  Msp(Run& run, const Msp& looked) : Msp(run, looked, looked.unit_covariance_, {}) {}
  // The same on some of its samples, seen through a lens. The covariance is that in the other one's coordinates.
  Msp(Run& run, const Msp& looked, const Matrix<double>& unit_covariance, const Lens& lens)
      : run_(run),
        options_(run.options()),
        stretch_(looked.stretch_),
        coordinates_(looked.coordinates_),
        lens_(lens),
        unit_covariance_(lens.second_moment(unit_covariance)),
        removes_bias_(looked.removes_bias_),
        precision_(looked.precision_),
        tolerance_(looked.tolerance_),
        ascent_(make_ascent()),
        is_far_(looked.starts_far_) {}

  FitResult run() {
    if (options_.runs > 1) require_common_samples();
    a_ = initialize(0);
    run_.checkpoint().reach(this);
    const Termination end = learn();
    const bool has_ended = end == Termination::kConverged || end == Termination::kMaxIterations;
    if (options_.runs == 1 || !has_ended) return finish(end);
    const Repeatable method{.learn = [this](const AnotherRun& another) { return learn_again(another); },
                            .first = a_,
                            .resamples = resamples(),
                            .is_orthogonal = !coordinates_.is_whitened(),
                            .reach = [this] { run_.checkpoint().reach(this); },
                            .save = [this] { run_.checkpoint().save(*this); }};
    const auto consensus = find_consensus(run_, method, &other_runs_);
    if (!consensus) return finish(reason_without_consensus(run_));
    return conclude(*consensus, end);
  }

  // From A to where it ends.
  Termination learn() { return ascent_ ? climb() : iterate(); }

  // By match, stretch, project.
  Termination iterate() {
    Matrix<double> last_evaluated = a_;
    for (;;) {
      const std::optional<Termination> end = reason_to_end();
      if (end && *end != Termination::kConverged) run_.checkpoint().save(*this);
      const auto result = match_and_stretch(end ? engine::PassOutput::kObjective : engine::PassOutput::kCorrelation);
      if (!result) {
        run_.checkpoint().save(*this);
        a_ = last_evaluated;
        return Termination::kStopped;
      }
      if (record(result->objective(), [this] { return coordinates_.model(a_); })) {
        run_.checkpoint().save(*this);
        return Termination::kStopped;
      }
      if (end) return *end;
      last_evaluated = a_;
      a_ = project(direction(*result));
      step_ = step_length(row_steps(last_evaluated, a_, run_.is_complex()));
      ++iteration_;
      run_.checkpoint().reach(this);
    }
  }

  // By second order: a pass at each trial, which becomes the next iterate if the objective has risen.
  Termination climb() {
    for (;;) {
      if (ascent_->has_iterate()) {
        if (is_far_ && (*step_ <= near() || ascent_->is_stuck()) && !come_near()) {
          return end_climb(Termination::kStopped);
        }
        if (const auto end = reason_to_end()) return end_climb(*end);
        a_ = run_.project(ascent_->trial(), projection_arithmetic());
      }
      const auto result = match_and_stretch(engine::PassOutput::kCorrelation);
      if (!result) return end_climb(Termination::kStopped);
      iteration_ += ascent_->has_iterate() ? 1 : 0;
      if (ascent_->take(a_, slope_of(*result))) {
        step_ = ascent_->gradient();
        const auto model = [this] { return coordinates_.model(ascent_->iterate()); };
        if (record(objective_of(*ascent_), model)) return end_climb(Termination::kStopped);
      } else {
        --iteration_;
      }
      run_.checkpoint().reach(this);
    }
  }

  // Saves A, the objective and step of each completed iteration, and what other runs have learned.
  void save(formats::NpzBuilder* file) const override {
    const std::vector<IterationRecord>& history = run_.summary().history;
    const int records = ascent_ ? static_cast<int>(history.size()) : iteration_;
    Vector<double> objectives(records), steps(records);
    for (int i = 0; i < records; ++i) {
      const auto at = static_cast<std::size_t>(i);
      objectives[i] = history[at].objective;
      // The next record's, which led away from this iterate. By second order it is the record's own.
      steps[i] = ascent_ ? *history[at].step : i + 1 < records ? *history[at + 1].step : *step_;
    }
    file->add("a", RowMatrix<double>(a_));
    file->add("objectives", objectives);
    file->add("steps", steps);
    if (ascent_) {
      file->add("is_far", Vector<double>{{is_far_ ? 1.0 : 0.0}});
      ascent_->save(file);
    }
    other_runs_.save(file);
  }
  void load(const formats::NpzFile& file) override {
    const Checkpoint& checkpoint = run_.checkpoint();
    a_ = checkpoint.matrix(file, "a", a_.rows(), a_.cols());
    const RowMatrix<double> objectives = to_matrix(file.array("objectives")), steps = to_matrix(file.array("steps"));
    if (objectives.size() != steps.size()) checkpoint.refuse("damaged checkpoint: sizes don't fit");
    if (!(steps.array() >= 0).all()) checkpoint.refuse("damaged checkpoint: step out of range");
    const Index iterations = objectives.size() - (ascent_ && objectives.size() > 0 ? 1 : 0);
    if (iterations > most_iterations()) checkpoint.refuse_iterations(most_iterations());
    for (Index i = 0; i < objectives.size(); ++i) {
      iteration_ = static_cast<int>(i);
      if (ascent_) step_ = steps(i);
      run_.record_again(record_of(objectives(i)));
      step_ = steps(i);
    }
    iteration_ = static_cast<int>(iterations);
    if (ascent_ && objectives.size() > 0) {
      ascent_->load(a_.rows(), a_.cols(), file, checkpoint);
      is_far_ = checkpoint.matrix(file, "is_far", 1, 1)(0) != 0;
      step_ = ascent_->gradient();
    }
    run_.summary().passes += ascent_ ? ascent_->taken() : iteration_;
    other_runs_.load(file, checkpoint);
  }

 private:
  static bool is_centred(const Options& options) { return options.center.value_or(false); }
  static engine::Moments measure(Run& run) {
    const bool center = is_centred(run.options());
    engine::Moments moments = run.measure(center);
    const bool as_they_are = run.options().normalize == Normalization::kNone;
    return as_they_are ? moments : normalize_samples(run, center, moments, center);
  }
  static Preprocessing preprocessing(const Run& run) {
    const Options& options = run.options();
    const Whitening unset = options.dictionary == Dictionary::kComplete ? Whitening::kZca : Whitening::kNone;
    return {.whiten = options.whiten.value_or(unset),
            .center = is_centred(options),
            .atoms = options.atoms,
            .theta = options.theta.value_or(1),
            .is_complex = run.is_complex()};
  }

  // Choices of the samples are read by each rank.
  void require_common_samples() const {
    if (resampling_of(options_) == Resampling::kNone || !run_.samples().is_shared_out()) return;
    throw option_error("runs", std::to_string(options_.runs),
                       "1, or with resample none, for msp where each rank has samples of its own");
  }

  [[nodiscard]] double objective_of(const Ascent& ascent) const {
    return ascent.objective() * static_cast<double>(run_.learned_from().size());
  }
  // By second order it has the signs of A's atoms.
  [[nodiscard]] double objective_of(const engine::PassResult& result) const {
    std::optional<Ascent> ascent = make_ascent();
    if (!ascent) return result.objective();
    ascent->take(a_, slope_of(result));
    return objective_of(*ascent);
  }

  // The objective of the centres follows that of the first run.
  FitResult conclude(const Consensus& consensus, Termination end) {
    a_ = consensus.rows;
    step_.reset();
    const auto result = match_and_stretch(ascent_ ? engine::PassOutput::kCorrelation : engine::PassOutput::kObjective);
    Model model = model_of(consensus);
    if (!result || record(objective_of(*result), [&] { return model; })) end = Termination::kStopped;
    describe_consensus(consensus, options_, &run_.summary(), &model);
    return run_.finish(end, std::move(model));
  }

  // Rows of A, from another start.
  [[nodiscard]] Resamples resamples() const {
    return {resampling_of(options_), run_.learned_from().size(), 1, options_.seed};
  }

  [[nodiscard]] Matrix<double> learn_again(const AnotherRun& another) const {
    if (another.choice) return learn_from_choice(another);
    Msp msp(another.run, *this);
    return msp.learn_from(another.start);
  }

  [[nodiscard]] Matrix<double> learn_from_choice(const AnotherRun& another) const {
    const Samples& all = run_.learned_from();
    const SelectedSamples samples(all, resamples().chosen(*another.choice, all.size(), [](Index i) { return i; }));
    Run run(samples, another.run.options(), run_.summary().method, run_.start());
    const Matrix<double> covariance = coordinates_.unit_covariance_of(run.measure_learned(false));
    const Lens lens = coordinates_.is_whitened() ? Lens::whitening(covariance) : Lens();
    Msp msp(run, *this, covariance, lens);
    return lens.matcher(msp.learn_from(another.start));
  }

  [[nodiscard]] Matrix<double> learn_from(int start) {
    a_ = initialize(start);
    (void)learn();
    return a_;
  }

  [[nodiscard]] Model model_of(const Consensus& consensus) const {
    const Matrix<double>& rows = consensus.rows;
    if (!coordinates_.is_whitened()) return coordinates_.model(rows, consensus.repetition);
    const Index d = rows.rows();
    const auto inverse = linalg::solve(rows, Matrix<double>::Identity(d, d));
    return coordinates_.model(rows, inverse.value_or(rows.transpose()), Vector<double>::Zero(d), {},
                              consensus.repetition);
  }

  [[nodiscard]] std::optional<Ascent> make_ascent() const {
    if (!options_.accelerate.value_or(false)) return std::nullopt;
    return Ascent({.unit_covariance = unit_covariance_, .has_signs = removes_bias_, .is_complex = run_.is_complex()});
  }

  // From here on the passes of a climb are in double.
  [[nodiscard]] double near() const {
    return std::max(tolerance_, kNear * rounding_noise(Precision::kMixed, coordinates_));
  }
  // False if a stop was requested.
  [[nodiscard]] bool come_near() {
    a_ = ascent_->iterate();
    const auto result = match_and_stretch(engine::PassOutput::kCorrelation, engine::Arithmetic::kF64);
    if (!result) return false;
    is_far_ = false;
    ascent_->reconsider(slope_of(*result));
    step_ = ascent_->gradient();
    return true;
  }

  Termination end_climb(Termination end) {
    run_.checkpoint().save(*this);
    if (ascent_->has_iterate()) a_ = ascent_->iterate();
    if (ascent_->is_stuck()) {
      run_.summary().warnings.push_back(
          fmt::format("the objective rises no further, within rounding, at a gradient of {:.1e}", ascent_->gradient()));
    }
    return end;
  }

  [[nodiscard]] Slope slope_of(const engine::PassResult& result) const {
    const auto count = static_cast<double>(run_.learned_from().size());
    const Matrix<double> g = lens_.correlation(coordinates_.pull_back(result.correlation, result.derivative_sums));
    require_direction(g);
    return {.values = result.value_sums / count,
            .curvatures = result.curvature_sums / count,
            .correlation = g / (count * coordinates_.rms()),
            .rounding = kCancellation * (arithmetic() == engine::Arithmetic::kF32
                                             ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                             : std::numeric_limits<double>::epsilon())};
  }

  Matrix<double> initialize(int number) {
    const Matrix<double> start = start_of(options_, coordinates_, number);
    const bool given = number == 0 && options_.init == Initialization::kGiven;
    return given || coordinates_.is_restricted() || run_.is_complex() ? run_.project(start, projection_arithmetic())
                                                                      : start;
  }

  [[nodiscard]] int most_iterations() const { return options_.max_iterations.value_or(kMaxIterations); }
  std::optional<Termination> reason_to_end() const {
    if (step_ && *step_ <= tolerance_) return Termination::kConverged;
    if (ascent_ && ascent_->is_stuck()) return Termination::kConverged;
    if (iteration_ >= most_iterations()) return Termination::kMaxIterations;
    return run_.out_of_time();
  }

  [[nodiscard]] engine::Arithmetic arithmetic() const {
    return is_single() || is_far_ ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64;
  }
  std::optional<engine::PassResult> match_and_stretch(engine::PassOutput output) {
    return match_and_stretch(output, arithmetic());
  }
  std::optional<engine::PassResult> match_and_stretch(engine::PassOutput output, engine::Arithmetic arithmetic) {
    const Matrix<double> matcher = coordinates_.matcher(lens_.matcher(a_));
    return run_.pass(run_.learned_from(), *stretch_, arithmetic, matcher, coordinates_.offset(matcher), output);
  }

  // The matrix to project: ∇Σφ, minus its bias, plus A/step for projected gradient ascent. Coefficients are stretched
  // in units of their rms s, so everything here is divided by s^(q−1), where q is the degree of φ: φ'(z) =
  // s^(q−1)·φ'(z/s). A φ without a degree is applied to z/s, and its gradient has the factor 1/s: q = 0.
  Matrix<double> direction(const engine::PassResult& result) const {
    Matrix<double> g = lens_.correlation(coordinates_.pull_back(result.correlation, result.derivative_sums));
    const double unit = std::pow(coordinates_.rms(), stretch_->degree().value_or(0) - 1);
    if (removes_bias_) subtract_bias(result, unit, &g);
    const double pull = 1 / (options_.step * unit);
    if (pull > 0) g += pull * a_;
    return g;
  }

  void subtract_bias(const engine::PassResult& result, double unit, Matrix<double>* g) const {
    if (options_.theta) {  // the paper's 12pθ²A, of complex samples 8pθ²A, for φ = z⁴ times φ(1)
      const double bias = (run_.is_complex() ? 8 : 12) * stretch_->value(1) *
                          static_cast<double>(run_.samples().size()) * *options_.theta * *options_.theta / unit;
      *g -= options_.bias_fraction * bias * a_;
      return;
    }
    const Vector<double> bias = options_.bias_fraction * coordinates_.rms() * result.curvature_sums;
    *g -= bias.asDiagonal() * linalg::multiply(a_, unit_covariance_);
  }

  void require_direction(const Matrix<double>& g) const {
    if (g.isZero(0)) {
      throw option_error("stretch", stretch_->name(), "one with a threshold that some coefficients exceed");
    }
    if (!g.allFinite()) {
      throw data_error(run_.samples().name(),
                       fmt::format("the stretch {} overflows {} on these data{}", stretch_->name(), name_of(precision_),
                                   is_single() ? "; try f64" : ""));
    }
  }
  Matrix<double> project(const Matrix<double>& g) {
    require_direction(g);
    return run_.project(g, projection_arithmetic());
  }

  [[nodiscard]] IterationRecord record_of(double objective) const {
    return {.iteration = iteration_, .objective = objective, .step = step_, .samples = run_.samples().size()};
  }
  bool record(double scaled_objective, const std::function<Model()>& model) {
    const double objective = scaled_objective * std::pow(coordinates_.rms(), stretch_->degree().value_or(0));
    return run_.record(record_of(objective), model);
  }

  void describe() {
    Summary& summary = run_.summary();
    summary.dictionary = coordinates_.is_whitened() ? Dictionary::kComplete : Dictionary::kOrthogonal;
    summary.center = is_centred(options_);
    summary.stretch = stretch_->name();
    summary.remove_bias = removes_bias_;
    summary.precision = precision_;
    summary.tolerance = tolerance_;
    run_.describe_data(coordinates_);
  }

  // Whether passes in single precision come close: no large mean hides the signal, and powers don't overflow.
  [[nodiscard]] bool is_fit_for_single() const {
    const double size = size_of_values(moments_, is_centred(options_));
    const double mean_square = moments_.mean.squaredNorm() / static_cast<double>(moments_.mean.size());
    return size > Run::kSmallestSingle && size < Run::kLargestSingle && mean_square <= size * size / 2 &&
           stretch_->degree().value_or(0) <= 10;
  }
  // The default is mixed precision if it loses nothing: samples are representable in single precision, which is fit for
  // them, and the tolerance can be reached.
  [[nodiscard]] Precision choose_precision() const {
    const double size = size_of_values(moments_, is_centred(options_));
    const bool mixed = run_.learned_from().fits_f32() && is_fit_for_single() &&
                       options_.tolerance.value_or(kTolerance) >= rounding_noise(Precision::kMixed, coordinates_);
    Precision precision = options_.precision.value_or(mixed ? Precision::kMixed : Precision::kF64);
    if (precision == Precision::kMixed && !is_resolvable(Precision::kMixed, size, coordinates_)) {
      precision = Precision::kF64;
    }
    run_.require_resolvable(precision, size, coordinates_);
    return precision;
  }
  [[nodiscard]] bool is_single() const { return precision_ != Precision::kF64; }
  [[nodiscard]] engine::Arithmetic projection_arithmetic() const {
    return precision_ == Precision::kF32 ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64;
  }

  FitResult finish(Termination termination) { return run_.finish(termination, coordinates_.model(a_)); }

  Run& run_;
  const Options& options_;
  std::shared_ptr<const Stretch> stretch_;
  engine::Moments moments_;
  std::optional<Coordinates> own_coordinates_;  // nothing in a run beside another one, whose they are
  const Coordinates& coordinates_;
  const Lens lens_;                       // through which samples are seen in these coordinates
  const Matrix<double> unit_covariance_;  // of the samples that are seen
  const bool removes_bias_;
  const Precision precision_;
  const double tolerance_;
  std::optional<Ascent> ascent_;  // with `accelerate`
  bool is_far_;                   // its passes are in single precision while the gradient is large
  const bool starts_far_ = is_far_;
  Matrix<double> a_;
  int iteration_ = 0;           // completed iterations
  std::optional<double> step_;  // the step that led to A
  OtherRuns other_runs_;        // of a consensus
};

}  // namespace

FitResult run_msp(Run& run) { return Msp(run).run(); }

}  // namespace orthodict::solver
