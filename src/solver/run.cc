// SPDX-License-Identifier: Apache-2.0
#include "solver/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linalg/complex.h"
#include "linalg/polar.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "random/stream.h"
#include "solver/confidence.h"
#include "solver/decide.h"
#include "solver/hash.h"
#include "solver/metadata.h"
#include "solver/rank_agreement.h"

namespace orthodict::solver {
namespace {

// Adds the time it lives to a total.
class Stopwatch {
 public:
  explicit Stopwatch(double* total) : total_(total), start_(Clock::now()) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { *total_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double* total_;
  Clock::time_point start_;
};

// On all ranks, or on none.
Checkpoint make_checkpoint(const Options& options, engine::Collective& collective) {
  std::optional<Checkpoint> checkpoint;
  collective.together([&] { checkpoint.emplace(options, collective); });
  return *std::move(checkpoint);
}

bool is_in_range(double size) { return size > Run::kSmallestSingle && size < Run::kLargestSingle; }

}  // namespace

double size_of_values(const engine::Moments& moments, bool centred) {
  const double total = moments.second_moment.trace() + (centred ? moments.mean.squaredNorm() : 0);
  return std::sqrt(total / static_cast<double>(moments.mean.size()));
}

// Passes round sample by sample, which averages out; the projection doesn't. A mean that is folded in costs digits:
// z = By − Bm cancels.
double rounding_noise(Precision precision, const Coordinates& coordinates) {
  const auto single = static_cast<double>(std::numeric_limits<float>::epsilon());
  const double root = std::sqrt(static_cast<double>(coordinates.dimension()));
  const double noise = precision == Precision::kMixed ? 4 * single
                       : precision == Precision::kF32 ? 8 * single * root
                                                      : 8 * std::numeric_limits<double>::epsilon() * root;
  return noise * (1 + coordinates.mean_to_rms());
}

bool is_resolvable(Precision precision, double size, const Coordinates& coordinates) {
  if (precision == Precision::kF64) return true;
  return is_in_range(size) && rounding_noise(precision, coordinates) <= 0.01;
}

void align(const Matrix<double>& from, bool is_complex, Matrix<double>* to) {
  for (Index i = 0; i < to->rows() / linalg::reals(is_complex); ++i) {
    if (!is_complex) {
      if (to->row(i).dot(from.row(i)) < 0) to->row(i) = -to->row(i);
      continue;
    }
    const double re = to->row(2 * i).dot(from.row(2 * i)), im = to->row(2 * i + 1).dot(from.row(2 * i));
    const double size = std::hypot(re, im);
    if (size > 0) linalg::multiply_row(i, re / size, -im / size, to);
  }
}

Vector<double> row_steps(const Matrix<double>& from, Matrix<double> to, bool is_complex) {
  if (is_complex) {
    align(from, true, &to);
    return (to - from).rowwise().norm();
  }
  return (to - from).rowwise().norm().cwiseMin((to + from).rowwise().norm());
}

double step_length(const Vector<double>& row_steps) {
  return std::sqrt(row_steps.squaredNorm() / static_cast<double>(row_steps.size()));
}

Run::Run(const Samples& samples, const Options& options, std::string method, Clock::time_point start)
    : start_(start),
      samples_(samples),
      options_(options),
      workers_(engine::threads_or_all(options.threads), options.ranks.get()),
      checkpoint_(make_checkpoint(options, workers_.collective())) {
  summary_.method = std::move(method);
  summary_.threads = workers_.count();
  summary_.ranks = workers_.collective().count();
  summary_.sample_shape = samples.sample_shape();
  summary_.objective = std::numeric_limits<double>::quiet_NaN();
}

double Run::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

// The moments of each thread, and half a dozen matrices more: what a forgotten --columns asks for is refused here.
void Run::require_square_matrices() const {
  const Index n = samples_.dimension();
  const auto bytes = memory::array_bytes(std::array<Index, 3>{n, n, 2 * Index{workers_.count()} + 6}, sizeof(double));
  try {
    memory::require_memory(samples_.name(), bytes.value_or(std::numeric_limits<std::size_t>::max()));
  } catch (const Error& error) {
    if (samples_.size() >= n || options_.atoms) throw;
    throw Error(error.fault(), fmt::format("{}; an orthonormal basis of all {} features takes that much: set atoms, to "
                                           "less than the {} samples",
                                           error.what(), n, samples_.size()));
  }
}

engine::Moments Run::measure(bool center) {
  require_same_question(workers_.collective(), options_, samples_);
  if (samples_.size() < 1 || samples_.dimension() < 1) {
    throw data_error(samples_.name(), fmt::format("{} samples of {} features: at least one of each is needed",
                                                  samples_.size(), samples_.dimension()));
  }
  workers_.collective().together([&] { require_square_matrices(); });
  return look(samples_, center);
}

engine::Moments Run::measure_learned(bool center) { return look(learned_from(), center); }

engine::Moments Run::look(const Samples& samples, bool center) {
  const Stopwatch watch(&summary_.moments_seconds);
  std::optional<engine::Moments> moments = engine::measure_moments(samples, center, workers_, options_.stop);
  if (!moments) throw Error(Fault::kStopped, "interrupted before the first look at the data was complete");
  ++summary_.passes;
  return *std::move(moments);
}

void Run::set_aside(std::unique_ptr<Samples> others, std::vector<Index> outliers) {
  without_outliers_ = std::move(others);
  outliers_ = std::move(outliers);
  summary_.set_aside = static_cast<Index>(outliers_.size());
}

void Run::normalize(std::unique_ptr<Samples> normalized) {
  normalized_ = std::move(normalized);
  summary_.normalize = Normalization::kSamples;
}

void Run::discard_normalization() {
  normalized_.reset();
  summary_.normalize = Normalization::kNone;
}

void Run::describe_data(const Coordinates& coordinates) {
  const Index reals = coordinates.reals();
  summary_.dimension = samples_.dimension() / reals;
  summary_.samples = samples_.size();
  summary_.distinct = samples_.size();
  summary_.rank = coordinates.rank() / reals;
  summary_.atoms = coordinates.atoms() / reals;
  summary_.rms = coordinates.rms();
  summary_.warnings.clear();
  if (coordinates.cut() && !is_cut_by_variance(coordinates)) {
    summary_.warnings.emplace_back(
        "the last principal component kept and the first one dropped have the same variance within sampling error, so "
        "the cut between them is arbitrary; ask for more atoms, or for fewer");
  }
}

bool Run::is_cut_by_variance(const Coordinates& coordinates) {
  const random::Permutation order(samples_.size(), random::Stream(options_.seed, random::Purpose::kSubsample));
  return is_distinct(*coordinates.cut(), coordinates.mean(), learned_from(), order, workers_.collective());
}

std::optional<engine::PassResult> Run::pass(const Samples& samples, const Stretch& stretch,
                                            engine::Arithmetic arithmetic, const Matrix<double>& matcher,
                                            const Vector<double>& offset, engine::PassOutput output) {
  const Stopwatch watch(&summary_.pass_seconds);
  if (&samples == &learned_from()) ++summary_.passes;
  engine::Collective& collective = workers_.collective();
  if (!collective.is_alone()) {
    // A difference in what each rank computed for itself would go unnoticed otherwise. A rank that has no share in the
    // pass has to be asked whether to stop, too.
    const std::array<std::uint64_t, 4> kind = {static_cast<std::uint64_t>(output),
                                               static_cast<std::uint64_t>(arithmetic),
                                               static_cast<std::uint64_t>(samples.size()), hash_of(stretch.name())};
    const std::uint64_t hash = hash_of(std::span<const std::uint64_t>(kind), hash_of(values_of(matcher)));
    const bool stop =
        collective.any_if_equal(hash_of(values_of(offset), hash),
                                "ranks came to different iterates: they must have processors and libraries "
                                "that round alike",
                                [this] { return options_.stop.stop_requested(); });
    if (stop) return std::nullopt;
  }
  return engine::Pass(samples, stretch, arithmetic, workers_, options_.stop).run(matcher, offset, output);
}

// The polar factor of a real form is one, unless ranks are lost: then its part outside the range is any orthogonal
// matrix, and the nearest real form isn't orthogonal, but has full rank.
Matrix<double> Run::project(const Matrix<double>& g, engine::Arithmetic arithmetic) {
  const Stopwatch watch(&summary_.projection_seconds);
  if (!is_complex()) return polar(g, arithmetic);
  constexpr double kRounding = 1e-3;
  const Matrix<double> factor = polar(linalg::nearest_real_form(g), arithmetic);
  Matrix<double> a = linalg::nearest_real_form(factor);
  if ((a - factor).cwiseAbs().maxCoeff() > kRounding) a = linalg::nearest_real_form(polar(a, arithmetic));
  return a;
}

Matrix<double> Run::polar(const Matrix<double>& g, engine::Arithmetic arithmetic) {
  // Some 10·min(rows, columns)·rows·columns operations, shared out a dozen times with a serial part in between.
  constexpr double kTimesShared = 12;
  const double flops = 10.0 * static_cast<double>(g.size()) * static_cast<double>(std::min(g.rows(), g.cols()));
  const int team = engine::team_for(flops / kTimesShared, workers_);
  const linalg::ForEach for_each = [&](Index count, const std::function<void(Index)>& task) {
    workers_.for_each(team, count, task);
  };
  if (arithmetic == engine::Arithmetic::kF64) return linalg::polar(g, for_each);
  // Scaled first: what overflows single precision need not overflow double.
  const double largest = g.cwiseAbs().maxCoeff();
  return linalg::polar<float>((g / largest).cast<float>(), for_each).cast<double>();
}

void Run::require_resolvable(Precision precision, double size, const Coordinates& coordinates) const {
  if (is_resolvable(precision, size, coordinates)) return;
  throw option_error("precision", std::string(name_of(precision)),
                     is_in_range(size) ? "f64 for samples whose mean is so large against their spread"
                                       : fmt::format("f64 for values of the size of {:.1e}", size));
}

std::optional<Termination> Run::out_of_time() {
  if (!options_.time_limit) return std::nullopt;
  const bool over = workers_.collective().any([this] { return seconds() >= *options_.time_limit; });
  return over ? std::optional(Termination::kTimeLimit) : std::nullopt;
}

void Run::record_again(IterationRecord record) {
  record.seconds = seconds();
  summary_.history.push_back(record);
  summary_.iterations = record.iteration;
  summary_.objective = record.objective;
}

bool Run::record(IterationRecord record, const std::function<Model()>& model) {
  record_again(record);
  return workers_.collective().any(
      [&] { return options_.callback && options_.callback(Iterate(summary_.history.back(), model)); });
}

FitResult Run::finish(Termination termination, Model model) {
  checkpoint_.require_loaded();
  summary_.termination = termination;
  summary_.atoms = model.atoms();
  summary_.established = (model.confidence.array() >= kEstablished).count();
  if (options_.stable_only.value_or(false) && summary_.runs == 1) {
    summary_.warnings.emplace_back("no atom is known to be stable without a consensus, so the model has all of them");
  }
  summary_.message = describe_outcome(options_, summary_);
  summary_.checkpoint_error = checkpoint_.failure();
  summary_.bytes_sent = workers_.collective().bytes_sent();
  FitResult result{std::move(model), {}};
  result.model.metadata = make_metadata(options_, summary_);
  summary_.total_seconds = seconds();
  result.summary = std::move(summary_);
  return result;
}

}  // namespace orthodict::solver
