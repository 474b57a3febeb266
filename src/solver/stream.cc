// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/moments.h"
#include "engine/workers.h"
#include "linalg/complex.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "solver/average.h"
#include "solver/canonical.h"
#include "solver/confidence.h"
#include "solver/metadata.h"
#include "solver/options.h"

namespace orthodict {
namespace {

using Clock = std::chrono::steady_clock;

class StreamFit {
 public:
  StreamFit(const Sections& next, const Options& options) : next_(next), asked_(options), options_(options) {
    options_.callback = [this](const Iterate& iterate) { return observe(iterate); };
  }

  FitResult run() {
    std::future<std::unique_ptr<Samples>> reading = read_ahead();
    const StopOnError unread(&stop_reading_);
    while (!ended_) {
      std::unique_ptr<Samples> section = await(std::move(reading));
      if (!section) break;
      reading = read_ahead();
      if (rest_) section = join(std::move(rest_), std::move(section));
      if (latest_ && section->size() < latest_->size / 2) {
        rest_ = std::move(section);
        continue;
      }
      settle_latest();
      latest_ = learn(std::move(section));
    }
    if (rest_ && !ended_) extend_latest();
    if (!latest_ && !estimate_) throw nothing_came();
    if (!ended_ && asked_.stop.stop_requested()) ended_ = Termination::kStopped;
    if (!estimate_ && !ended_) return *std::move(latest_->result);
    settle_latest();
    return conclude();
  }

 private:
  // Stops the reader when the scope is left by an exception.
  class StopOnError {
   public:
    explicit StopOnError(std::stop_source* source) : source_(source), errors_(std::uncaught_exceptions()) {}
    StopOnError(const StopOnError&) = delete;
    StopOnError& operator=(const StopOnError&) = delete;
    ~StopOnError() {
      if (std::uncaught_exceptions() > errors_) source_->request_stop();
    }

   private:
    std::stop_source* source_;
    int errors_;
  };

  // The result of a section.
  struct Found {
    std::unique_ptr<Samples> section;
    Index size = 0;
    engine::Moments moments;          // centred
    std::optional<FitResult> result;  // nothing if all samples are equal
  };

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  [[nodiscard]] std::future<std::unique_ptr<Samples>> read_ahead() {
    const auto read = [this] { return next_(stop_reading_.get_token()); };
    try {
      return std::async(std::launch::async, read);
    } catch (const std::system_error&) {  // the system refused another thread
      return std::async(std::launch::deferred, read);
    }
  }

  // Waits for the section. Returns null if the time limit is reached first.
  std::unique_ptr<Samples> await(std::future<std::unique_ptr<Samples>> reading) {
    if (asked_.time_limit) {
      constexpr double kLongest = 1e9;  // seconds; avoids overflow of clocks, which count nanoseconds
      const std::chrono::duration<double> left(std::clamp(*asked_.time_limit - seconds(), 0.0, kLongest));
      if (reading.wait_for(left) == std::future_status::timeout) {
        end(Termination::kTimeLimit);
        return nullptr;
      }
    }
    std::unique_ptr<Samples> section = reading.get();
    if (section && section->dimension() != dimension_.value_or(section->dimension())) {
      throw data_error(section->name(),
                       fmt::format("{} features, but the stream began with {}", section->dimension(), *dimension_));
    }
    if (section) dimension_ = section->dimension();
    return section;
  }

  void end(Termination termination) {
    ended_ = termination;
    stop_reading_.request_stop();
  }

  [[nodiscard]] Error nothing_came() const {
    if (asked_.stop.stop_requested()) return {Fault::kStopped, "interrupted before the first samples arrived"};
    if (!ended_) return data_error("stream", "has no samples");
    return data_error("stream", fmt::format("no samples arrived within the time limit of {} s", *asked_.time_limit));
  }

  static std::unique_ptr<Samples> join(std::unique_ptr<Samples> one, std::unique_ptr<Samples> other) {
    std::vector<std::unique_ptr<Samples>> both;
    both.push_back(std::move(one));
    both.push_back(std::move(other));
    return join_samples(std::move(both));
  }

  // Learns again from the latest section together with the rest that follows it, which is too short by itself. If that
  // doesn't complete, the earlier result of the latest section remains.
  void extend_latest() {
    std::optional<Found> found = learn(join(std::move(latest_->section), std::move(rest_)));
    if (!ended_) latest_ = std::move(found);
  }

  // Returns nothing if the run ended before it began.
  std::optional<Found> learn(std::unique_ptr<Samples> section) {
    const bool is_first = !estimate_ && !latest_;
    section_start_ = seconds();
    if (asked_.time_limit) {
      const double left = *asked_.time_limit - section_start_;
      if (left <= 0) end(Termination::kTimeLimit);
      if (left <= 0 && !is_first) return std::nullopt;
      options_.time_limit = std::max(left, std::numeric_limits<double>::min());
    }
    try {
      return look_at(std::move(section));
    } catch (const Error& error) {
      if (is_first || error.fault() != Fault::kStopped) throw;
      end(Termination::kStopped);
      return std::nullopt;
    }
  }

  // Sections are combined by their covariances, even with few samples.
  void require_covariance(const Samples& section) const {
    const Index n = section.dimension();
    const auto bytes = memory::array_bytes(
        std::array<Index, 3>{n, n, 2 * Index{engine::threads_or_all(asked_.threads)} + 6}, sizeof(double));
    memory::require_memory(section.name(), bytes.value_or(std::numeric_limits<std::size_t>::max()));
  }

  // fit() rejects samples that are all equal, but here there are other sections.
  Found look_at(std::unique_ptr<Samples> section) {
    require_covariance(*section);
    Found found;
    std::exception_ptr refusal;
    try {
      found.result = fit_from_estimate(*section);
      const Termination termination = found.result->summary.termination;
      if (termination == Termination::kStopped || termination == Termination::kTimeLimit) end(termination);
    } catch (const Error& error) {
      if (!estimate_ || error.fault() != Fault::kData) throw;
      refusal = std::current_exception();
    }
    engine::Workers workers(engine::threads_or_all(asked_.threads));
    found.moments = *engine::measure_moments(*section, true, workers, {});
    if (refusal && has_energy(found.moments)) std::rethrow_exception(refusal);
    found.size = section->size();
    found.section = std::move(section);
    return found;
  }

  [[nodiscard]] bool has_energy(const engine::Moments& moments) const {
    return moments.second_moment.trace() > 0 || (!summary_.center && moments.mean.squaredNorm() > 0);
  }

  // A section of different rank has a different number of atoms, and needs its own start.
  FitResult fit_from_estimate(const Samples& section) {
    try {
      return fit(section, options_);
    } catch (const Error& error) {
      if (!estimate_ || error.fault() != Fault::kOption) throw;
    }
    Options afresh = options_;
    afresh.init = Initialization::kRandom;
    afresh.atoms.reset();
    return fit(section, afresh);
  }

  // Iterations and seconds continue from those of the previous sections.
  [[nodiscard]] IterationRecord in_stream(IterationRecord record) const {
    record.iteration += summary_.iterations;
    record.seconds += section_start_;
    return record;
  }

  bool observe(const Iterate& iterate) {
    if (!asked_.callback) return false;
    const IterationRecord record = in_stream(iterate.record());
    const std::function<Model()> model = [&iterate] { return iterate.model(); };
    return asked_.callback(Iterate(record, model));
  }

  // Adds the latest section, which others follow, to the estimate.
  void settle_latest() {
    if (!latest_) return;
    const Found found = *std::exchange(latest_, std::nullopt);
    const auto size = static_cast<double>(found.size);
    add_moments(found.moments, size);
    if (!found.result) {
      summary_.samples += found.size;
      summary_.distinct += found.size;
      return;
    }
    const auto& [model, summary] = *found.result;
    solver::Estimate estimate{
        .model = model, .atom_samples = Vector<double>::Constant(model.atoms(), size), .samples = size};
    if (summary.termination == Termination::kMaxIterations) unconverged_ += size;
    if (estimate_) {
      add_summary(summary, size);
      estimate_ = solver::average(*estimate_, estimate, summary_.dictionary == Dictionary::kOrthogonal);
    } else {
      summary_ = summary;
      estimate_ = std::move(estimate);
    }
    continue_from_estimate();
  }

  // The next section solves the same problem, starting from this result. A dictionary that was found to be orthogonal
  // isn't asked for as a basis: the finish of a basis keeps the most energy instead of having the smallest error.
  void continue_from_estimate() {
    if (summary_.dictionary == Dictionary::kComplete) options_.dictionary = Dictionary::kComplete;
    options_.center = summary_.center;
    options_.normalize = summary_.normalize;
    options_.init = Initialization::kGiven;
    options_.initial_dictionary = estimate_->model.dictionary;
    // With a share, each section would have a different number of atoms.
    if (asked_.atoms && asked_.atoms->share()) options_.atoms = estimate_->model.atoms();
  }

  // Second moments are about the overall mean.
  void add_moments(const engine::Moments& section, double size) {
    if (!estimate_) {
      moments_ = section;
      return;
    }
    const double share = size / (size + static_cast<double>(summary_.samples));
    const Vector<double> apart = section.mean - moments_.mean;
    moments_.mean += share * apart;
    moments_.second_moment += share * (section.second_moment - moments_.second_moment);
    moments_.second_moment += share * (1 - share) * apart * apart.transpose();
  }

  void add_summary(const Summary& section, double size) {
    constexpr std::size_t kMostRecords = 10'000;  // a stream may be endless
    const double share = size / (size + estimate_->samples);
    const auto mean = [share](double before, double now) { return before + share * (now - before); };
    for (const IterationRecord& record : section.history) {
      if (summary_.history.size() < kMostRecords) summary_.history.push_back(in_stream(record));
    }
    if (section.theta) summary_.theta = mean(summary_.theta.value_or(*section.theta), *section.theta);
    if (section.noise) summary_.noise = mean(summary_.noise.value_or(*section.noise), *section.noise);
    summary_.rms = std::sqrt(mean(summary_.rms * summary_.rms, section.rms * section.rms));
    summary_.samples += section.samples;
    summary_.distinct += section.distinct;
    summary_.set_aside += section.set_aside;
    summary_.dependence = std::max(summary_.dependence, section.dependence);
    summary_.iterations += section.iterations;
    summary_.passes = std::max(summary_.passes, section.passes);
    for (const std::string& warning : section.warnings) {
      const auto& known = summary_.warnings;
      if (std::find(known.begin(), known.end(), warning) == known.end()) summary_.warnings.push_back(warning);
    }
    summary_.rank = std::max(summary_.rank, section.rank);
    if (!std::isnan(section.objective)) summary_.objective += section.objective;
    summary_.moments_seconds += section.moments_seconds;
    summary_.pass_seconds += section.pass_seconds;
    summary_.projection_seconds += section.projection_seconds;
  }

  FitResult conclude() {
    const double samples = estimate_->samples;
    FitResult result{std::move(estimate_->model), std::move(summary_)};
    const Vector<double> apart = result.model.mean - moments_.mean;
    const Matrix<double> second_moment = moments_.second_moment + apart * apart.transpose();
    solver::make_canonical(result.model.is_complex ? linalg::complex_products(second_moment) : second_moment,
                           &result.model);
    Summary& summary = result.summary;
    summary.atoms = result.model.atoms();
    summary.established = (result.model.confidence.array() >= solver::kEstablished).count();
    const bool judged =
        summary.method == name_of(Method::kAuto) && solver::dictionary_of(asked_) != Dictionary::kOrthogonal;
    const bool doubted = judged && summary.established == 0;
    // Sections that ended at their own limit were judged nevertheless.
    const bool unconverged = unconverged_ > samples / 2 && !(doubted && !asked_.max_iterations);
    const Termination outcome = unconverged ? Termination::kMaxIterations
                                : doubted   ? Termination::kNotEstablished
                                            : Termination::kConverged;
    summary.termination = ended_.value_or(outcome);
    summary.message = solver::describe_outcome(asked_, summary);
    summary.total_seconds = seconds();
    result.model.metadata = solver::make_metadata(asked_, summary);
    return result;
  }

  const Sections& next_;
  const Options& asked_;
  Options options_;  // options of the next section
  Clock::time_point start_ = Clock::now();
  std::stop_source stop_reading_;
  std::stop_callback<std::function<void()>> stop_with_run_{asked_.stop, [this] { stop_reading_.request_stop(); }};
  std::optional<Index> dimension_;
  std::optional<Found> latest_;               // kept because a short rest may join it
  std::unique_ptr<Samples> rest_;             // samples after it, less than half its size
  std::optional<solver::Estimate> estimate_;  // all sections before latest_
  engine::Moments moments_;                   // their moments, centred
  Summary summary_;                           // their summary
  double section_start_ = 0;                  // in seconds
  double unconverged_ = 0;                    // number of samples in sections that reached max_iterations
  std::optional<Termination> ended_;
};

}  // namespace

FitResult fit_stream(const Sections& next, const Options& options) {
  options.validate();
  if (options.dictionary == Dictionary::kOvercomplete) {
    throw option_error("dictionary", "overcomplete", "auto, complete or orthogonal for a stream");
  }
  if (!options.checkpoint.empty()) throw option_error("checkpoint", options.checkpoint, "unset for a stream");
  if (!options.resume.empty()) throw option_error("resume", options.resume, "unset for a stream");
  if (options.runs > 1) throw option_error("runs", std::to_string(options.runs), "1 for a stream");
  if (options.orient.value_or(false)) throw option_error("orient", "true", "left out for a stream, which is read once");
  if (options.ranks) throw option_error("ranks", std::to_string(options.ranks->count()), "unset for a stream");
  const Options resolved = solver::resolved(options);
  return StreamFit(next, resolved).run();
}

}  // namespace orthodict
