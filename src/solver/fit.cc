// SPDX-License-Identifier: Apache-2.0
// Match, stretch, project: the loop and its steps.
#include "orthodict/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "data/allocation.h"
#include "engine/moments.h"
#include "engine/pass.h"
#include "engine/workers.h"
#include "linalg/polar.h"
#include "orthodict/error.h"
#include "random/stream.h"
#include "solver/coordinates.h"
#include "solver/metadata.h"

namespace orthodict {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Adds the time it lives to a total.
class Stopwatch {
 public:
  explicit Stopwatch(double* total) : total_(total), start_(Clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { *total_ += seconds_since(start_); }

 private:
  double* total_;
  Clock::time_point start_;
};

void check_shape(const Samples& samples) {
  if (samples.size() < 1 || samples.dimension() < 1) {
    throw data_error(samples.name(), fmt::format("{} samples of {} features: at least one of each is needed",
                                                 samples.size(), samples.dimension()));
  }
}

// How far A' is from A, row by row and whatever the signs: the inequality of Options::tolerance.
double step_length(const Matrix<double>& from, const Matrix<double>& to) {
  double sum = 0;
  for (Index i = 0; i < from.rows(); ++i) {
    sum += std::min((to.row(i) - from.row(i)).squaredNorm(), (to.row(i) + from.row(i)).squaredNorm());
  }
  return std::sqrt(sum / static_cast<double>(from.rows()));
}

class Fit {
 public:
  Fit(const Samples& samples, const Options& options, Clock::time_point start)
      : samples_(samples),
        options_(options),
        start_(start),
        stretch_(options.custom_stretch ? options.custom_stretch : make_stretch(options.stretch)),
        workers_(options.threads.value_or(std::max(1, static_cast<int>(std::thread::hardware_concurrency())))) {}

  FitResult run() {
    describe_request();
    const std::optional<engine::Moments> moments = measure();
    if (!moments) throw Error(Fault::kStopped, "interrupted before the first look at the data was complete");
    coordinates_.emplace(*moments, samples_, options_);
    describe_data();
    choose_precision(*moments);
    pass_.emplace(samples_, *stretch_, is_single() ? engine::Arithmetic::kF32 : engine::Arithmetic::kF64, workers_,
                  options_.stop);

    a_ = initialize();
    Matrix<double> last_evaluated = a_;
    std::optional<double> step;
    for (int iteration = 0;; ++iteration) {
      const std::optional<Termination> end = reason_to_end(iteration, step);
      const auto result = match_and_stretch(end ? engine::Want::kObjective : engine::Want::kCorrelation);
      if (!result) {
        a_ = last_evaluated;
        return finish(Termination::kStopped);
      }
      record(iteration, result->objective, step);
      if (callback_says_stop()) return finish(Termination::kStopped);
      if (end) return finish(*end);
      last_evaluated = a_;
      a_ = project(direction(*result));
      step = step_length(last_evaluated, a_);
    }
  }

 private:
  std::optional<engine::Moments> measure() {
    // The moments of each thread, and half a dozen matrices more: what a forgotten --columns asks for is refused here.
    const auto n = static_cast<std::size_t>(samples_.dimension());
    data::require_memory(samples_.name(),
                         sizeof(double) * n * n * (2 * static_cast<std::size_t>(workers_.count()) + 6));
    const Stopwatch watch(&summary_.moments_seconds);
    return engine::measure_moments(samples_, options_.center, workers_, options_.stop);
  }

  Matrix<double> initialize() {
    if (options_.init == Initialization::kGiven) {
      return polar(start_from(given_dictionary()));
    }
    const Index k = coordinates_->atoms();
    // Coordinates of the data's range alone have no room for k rows of a start: it is made in those of the data.
    const bool restricted = coordinates_->is_restricted();
    const Index d = restricted ? samples_.dimension() : coordinates_->dimension();
    const random::Stream stream(options_.seed, random::Purpose::kInitialization);
    const Matrix<double> start = options_.init == Initialization::kIdentity
                                     ? Matrix<double>(Matrix<double>::Identity(k, d))
                                     : Matrix<double>(random::orthogonal(d, stream).topRows(k));
    return restricted ? polar(start_from(start)) : start;
  }

  // In the coordinates of A, before projection.
  Matrix<double> start_from(const RowMatrix<double>& dictionary) const {
    Matrix<double> start = coordinates_->from_dictionary(dictionary);
    if (start.isZero(0) || !start.allFinite()) {
      throw option_error("initial_dictionary", start.allFinite() ? "zero" : "too large",
                         "atoms of ordinary size that the samples can be matched with");
    }
    return start;
  }

  const RowMatrix<double>& given_dictionary() const {
    const RowMatrix<double>& given = options_.initial_dictionary;
    if (given.rows() != coordinates_->atoms() || given.cols() != samples_.dimension()) {
      throw option_error("initial_dictionary", fmt::format("{}×{}", given.rows(), given.cols()),
                         fmt::format("atoms × dimension, {}×{}", coordinates_->atoms(), samples_.dimension()));
    }
    if (!given.allFinite()) throw option_error("initial_dictionary", "NaN or infinite somewhere", "finite everywhere");
    return given;
  }

  std::optional<Termination> reason_to_end(int iteration, std::optional<double> step) const {
    if (step && *step <= summary_.tolerance) return Termination::kConverged;
    if (iteration >= options_.max_iterations) return Termination::kMaxIterations;
    if (options_.time_limit && seconds_since(start_) >= *options_.time_limit) return Termination::kTimeLimit;
    return std::nullopt;
  }

  std::optional<engine::PassResult> match_and_stretch(engine::Want want) {
    const Stopwatch watch(&summary_.pass_seconds);
    const Matrix<double> matcher = coordinates_->matcher(a_);
    return pass_->run(matcher, coordinates_->offset(matcher), want);
  }

  // The matrix to project: ∇Σφ, less its bias, plus A/step for projected gradient ascent. Coefficients were stretched
  // in units of their rms s, so everything here is divided by s^(q−1), q the degree of φ: φ'(z) = s^(q−1)·φ'(z/s).
  // A φ without a degree is a function of z/s, whose gradient has the factor 1/s: q = 0.
  Matrix<double> direction(const engine::PassResult& result) const {
    Matrix<double> g = coordinates_->pull_back(result.correlation, result.derivative_sums);
    const double unit = std::pow(coordinates_->rms(), stretch_->degree().value_or(0) - 1);
    if (summary_.remove_bias) subtract_bias(result, unit, &g);
    const double pull = 1 / (options_.step * unit);
    if (pull > 0) g += pull * a_;
    return g;
  }

  void subtract_bias(const engine::PassResult& result, double unit, Matrix<double>* g) const {
    if (options_.theta) {  // the paper's 12pθ²A, for φ = z⁴ times φ(1)
      const double bias =
          12 * stretch_->value(1) * static_cast<double>(samples_.size()) * *options_.theta * *options_.theta / unit;
      *g -= options_.bias_fraction * bias * a_;
      return;
    }
    const Vector<double> bias = options_.bias_fraction * coordinates_->rms() * result.curvature_sums;
    *g -= bias.asDiagonal() * coordinates_->times_unit_covariance(a_);
  }

  Matrix<double> project(const Matrix<double>& g) {
    const Stopwatch watch(&summary_.projection_seconds);
    if (g.isZero(0)) {
      throw option_error("stretch", stretch_->name(), "one that some coefficient passes: none exceeds the threshold");
    }
    if (!g.allFinite()) {
      throw data_error(samples_.name(), fmt::format("the stretch {} overflows {} on these data{}", stretch_->name(),
                                                    name_of(summary_.precision), is_single() ? "; try f64" : ""));
    }
    return polar(g);
  }

  Matrix<double> polar(const Matrix<double>& g) {
    // Some 10·min(rows, columns)·rows·columns operations, shared out a dozen times with a serial part in between.
    constexpr double kTimesShared = 12;
    const double flops = 10.0 * static_cast<double>(g.size()) * static_cast<double>(std::min(g.rows(), g.cols()));
    const int team = engine::team_for(flops / kTimesShared, workers_);
    const linalg::ForEach for_each = [&](Index count, const std::function<void(Index)>& task) {
      workers_.for_each(team, count, task);
    };
    if (summary_.precision != Precision::kF32) return linalg::polar(g, for_each);
    // Scaled first: what overflows single precision need not overflow double.
    const double largest = g.cwiseAbs().maxCoeff();
    return linalg::polar<float>((g / largest).cast<float>(), for_each).cast<double>();
  }

  void record(int iteration, double scaled_objective, std::optional<double> step) {
    const double objective = scaled_objective * std::pow(coordinates_->rms(), stretch_->degree().value_or(0));
    summary_.history.push_back({iteration, objective, step, seconds_since(start_)});
    summary_.iterations = iteration;
    summary_.objective = objective;
  }

  bool callback_says_stop() const {
    if (!options_.callback) return false;
    const std::function<Model()> model = [this] { return coordinates_->model(a_); };
    return options_.callback(Iterate(summary_.history.back(), model));
  }

  void describe_request() {
    summary_.stretch = stretch_->name();
    summary_.remove_bias = options_.remove_bias.value_or(stretch_->is_subquadratic());
    summary_.threads = workers_.count();
    summary_.objective = std::numeric_limits<double>::quiet_NaN();
  }

  void describe_data() {
    summary_.dimension = samples_.dimension();
    summary_.samples = samples_.size();
    summary_.rank = coordinates_->rank();
    summary_.atoms = coordinates_->atoms();
    summary_.rms = coordinates_->rms();
  }

  // Rounding may move A by this much from one step to the next. Passes round sample by sample, which averages out; the
  // projection doesn't. A mean that is folded in costs digits: z = By − Bm cancels.
  [[nodiscard]] double rounding_noise(Precision precision) const {
    const double single = static_cast<double>(std::numeric_limits<float>::epsilon());
    const double root = std::sqrt(static_cast<double>(coordinates_->dimension()));
    const double noise = precision == Precision::kMixed ? 4 * single
                         : precision == Precision::kF32 ? 8 * single * root
                                                        : 8 * std::numeric_limits<double>::epsilon() * root;
    return noise * (1 + coordinates_->mean_to_rms());
  }

  // Mixed precision where it loses nothing: single precision holds the samples, no large mean hides what is to be
  // learned, powers don't overflow, and the tolerance asks for no more than passes in single precision give.
  void choose_precision(const engine::Moments& moments) {
    const double mean_square = moments.mean.squaredNorm();
    const double total = moments.second_moment.trace() + (options_.center ? mean_square : 0);
    const double size = std::sqrt(total / static_cast<double>(samples_.dimension()));
    // Sums of samples times coefficients, and matchers of whitened samples, need room on either side.
    const bool in_range = size > 1e-20 && size < 1e20;
    const bool mixed = samples_.fits_f32() && in_range && mean_square <= total / 2 &&
                       stretch_->degree().value_or(0) <= 10 && options_.tolerance >= rounding_noise(Precision::kMixed);
    summary_.precision = options_.precision.value_or(mixed ? Precision::kMixed : Precision::kF64);
    const double noise = rounding_noise(summary_.precision);
    if (is_single() && (!in_range || noise > 0.01)) {
      throw option_error("precision", std::string(name_of(summary_.precision)),
                         in_range ? "f64 for samples whose mean is so large against their spread"
                                  : fmt::format("f64 for values of the size of {:.1e}", size));
    }
    summary_.tolerance = std::max(options_.tolerance, noise);
  }
  [[nodiscard]] bool is_single() const { return summary_.precision != Precision::kF64; }

  FitResult finish(Termination termination) {
    summary_.termination = termination;
    summary_.message = message(termination);
    FitResult result{coordinates_->model(a_), {}};
    result.model.metadata = solver::make_metadata(options_, summary_);
    summary_.total_seconds = seconds_since(start_);
    result.summary = std::move(summary_);
    return result;
  }

  std::string message(Termination termination) const {
    const auto entries = names_of<Termination>();
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.value == termination; });
    std::string text = fmt::format("{} after {} iterations: {}", entry->name, summary_.iterations, entry->help);
    if (summary_.rank < std::min(summary_.dimension, summary_.atoms)) {
      text += fmt::format("; the data have numerical rank {} of {}, so {} atoms carry no energy", summary_.rank,
                          summary_.dimension, summary_.atoms - summary_.rank);
    } else if (summary_.rank < summary_.dimension) {
      text += fmt::format("; the data have numerical rank {} of {}", summary_.rank, summary_.dimension);
    }
    return text;
  }

  const Samples& samples_;
  const Options& options_;
  Clock::time_point start_;
  std::shared_ptr<const Stretch> stretch_;
  engine::Workers workers_;
  std::optional<engine::Pass> pass_;
  std::optional<solver::Coordinates> coordinates_;
  Matrix<double> a_;
  Summary summary_;
};

}  // namespace

FitResult fit(const Samples& samples, const Options& options) {
  const Clock::time_point start = Clock::now();
  options.validate();
  check_shape(samples);
  return Fit(samples, options, start).run();
}

FitResult fit_on_group(const Matrix<double>& d_o, const Options& options) {
  return fit(*samples_in_columns(d_o), options);
}

}  // namespace orthodict
