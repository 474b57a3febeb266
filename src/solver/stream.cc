// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stream.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "orthodict/error.h"
#include "solver/average.h"
#include "solver/canonical.h"
#include "solver/confidence.h"
#include "solver/metadata.h"

namespace orthodict {
namespace {

using Clock = std::chrono::steady_clock;

class StreamFit {
 public:
  StreamFit(const Sections& next, const Options& options) : next_(next), asked_(options), options_(options) {
    options_.callback = [this](const Iterate& iterate) { return observe(iterate); };
  }

  FitResult run() {
    std::unique_ptr<Samples> section = await(read_ahead());
    if (!section) throw data_error("stream", ended_ ? "no samples came in time" : "has no samples");
    std::unique_ptr<Samples> following = await(read_ahead());
    while (section && (!ended_ || !estimate_)) {  // of the first section there is a model, however late it is
      if (following && !ended_ && following->size() < section->size() / 2) {
        section = join(std::move(section), std::move(following));
        following = await(read_ahead());
      }
      std::future<std::unique_ptr<Samples>> reading;
      const StopOnError unread(&stop_reading_);
      if (following) reading = read_ahead();
      if (auto result = fit_section(*section)) add(*std::move(result), *section);
      section = std::move(following);
      if (reading.valid() && !ended_) following = await(std::move(reading));
    }
    if (!ended_ && asked_.stop.stop_requested()) ended_ = Termination::kStopped;
    return lone_ && !ended_ ? *std::move(lone_) : conclude();
  }

 private:
  // Nobody goes on reading once this is left because of an error.
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

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  [[nodiscard]] std::future<std::unique_ptr<Samples>> read_ahead() {
    const auto read = [this] { return next_(stop_reading_.get_token()); };
    try {
      return std::async(std::launch::async, read);
    } catch (const std::system_error&) {  // the system grants no more threads
      return std::async(std::launch::deferred, read);
    }
  }

  // The section, unless the time is up before it comes.
  std::unique_ptr<Samples> await(std::future<std::unique_ptr<Samples>> reading) {
    if (asked_.time_limit) {
      const auto left = std::chrono::duration<double>(std::max(*asked_.time_limit - seconds(), 0.0));
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

  static std::unique_ptr<Samples> join(std::unique_ptr<Samples> one, std::unique_ptr<Samples> other) {
    std::vector<std::unique_ptr<Samples>> both;
    both.push_back(std::move(one));
    both.push_back(std::move(other));
    return join_samples(std::move(both));
  }

  // Nothing where the run ended before it began.
  std::optional<FitResult> fit_section(const Samples& section) {
    section_start_ = seconds();
    if (asked_.time_limit) {
      const double left = *asked_.time_limit - section_start_;
      if (left <= 0) end(Termination::kTimeLimit);
      if (left <= 0 && estimate_) return std::nullopt;
      options_.time_limit = std::max(left, std::numeric_limits<double>::min());
    }
    try {
      FitResult result = fit_from_estimate(section);
      const Termination termination = result.summary.termination;
      if (termination == Termination::kStopped || termination == Termination::kTimeLimit) end(termination);
      return result;
    } catch (const Error& error) {
      if (!estimate_ || error.fault() != Fault::kStopped) throw;
      end(Termination::kStopped);
      return std::nullopt;
    }
  }

  // A section of another rank has another number of atoms to learn, and needs a start of its own: that is the only
  // option that can be wrong, the others were seen to be right.
  FitResult fit_from_estimate(const Samples& section) {
    try {
      return fit(section, options_);
    } catch (const Error& error) {
      if (!estimate_ || error.fault() != Fault::kOption) throw;
    }
    Options afresh = options_;
    afresh.init = Initialization::kRandom;
    return fit(section, afresh);
  }

  // The numbers of a stream go on where those of its last section ended.
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

  void add(FitResult result, const Samples& section) {
    const auto size = static_cast<double>(section.size());
    solver::Estimate found{
        .model = result.model, .atom_samples = Vector<double>::Constant(result.model.atoms(), size), .samples = size};
    engine::Workers workers(result.summary.threads);
    const engine::Moments moments = *engine::measure_moments(section, true, workers, {});
    if (result.summary.termination == Termination::kMaxIterations) unconverged_ += size;
    if (estimate_) {
      lone_.reset();
      add_moments(moments, size);
      add_summary(result.summary, size);
      estimate_ = solver::average(*estimate_, found, summary_.dictionary == Dictionary::kOrthogonal);
    } else {
      moments_ = moments;
      summary_ = result.summary;
      estimate_ = std::move(found);
      lone_ = std::move(result);
    }
    go_on_from_estimate();
  }

  // The next section answers the same question, from where this one ended.
  void go_on_from_estimate() {
    options_.dictionary = summary_.dictionary;
    options_.center = summary_.center;
    options_.init = Initialization::kGiven;
    options_.initial_dictionary = estimate_->model.dictionary;
  }

  // Second moments are about the mean of all.
  void add_moments(const engine::Moments& section, double size) {
    const double share = size / (size + estimate_->samples);
    const Vector<double> apart = section.mean - moments_.mean;
    moments_.mean += share * apart;
    moments_.second_moment += share * (section.second_moment - moments_.second_moment);
    moments_.second_moment += share * (1 - share) * apart * apart.transpose();
  }

  void add_summary(const Summary& section, double size) {
    constexpr std::size_t kMostRecords = 10'000;  // a stream may have no end
    const double share = size / (size + estimate_->samples);
    const auto mean = [share](double before, double now) { return before + share * (now - before); };
    for (const IterationRecord& record : section.history) {
      if (summary_.history.size() < kMostRecords) summary_.history.push_back(in_stream(record));
    }
    if (section.theta) summary_.theta = mean(summary_.theta.value_or(*section.theta), *section.theta);
    if (section.noise) summary_.noise = mean(summary_.noise.value_or(*section.noise), *section.noise);
    summary_.rms = std::sqrt(mean(summary_.rms * summary_.rms, section.rms * section.rms));
    summary_.samples += section.samples;
    summary_.iterations += section.iterations;
    summary_.passes = std::max(summary_.passes, section.passes);
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
    solver::make_canonical(moments_.second_moment + apart * apart.transpose(), &result.model);
    Summary& summary = result.summary;
    summary.atoms = result.model.atoms();
    summary.established = (result.model.confidence.array() >= solver::kEstablished).count();
    const bool judged = summary.method == name_of(Method::kAuto);
    const Termination outcome = judged && summary.established == 0 ? Termination::kNoStructure
                                : unconverged_ > samples / 2       ? Termination::kMaxIterations
                                                                   : Termination::kConverged;
    summary.termination = ended_.value_or(outcome);
    summary.message = solver::describe_outcome(summary);
    summary.total_seconds = seconds();
    result.model.metadata = solver::make_metadata(asked_, summary);
    return result;
  }

  const Sections& next_;
  const Options& asked_;
  Options options_;  // of the next section
  Clock::time_point start_ = Clock::now();
  std::stop_source stop_reading_;
  std::stop_callback<std::function<void()>> stop_with_run_{asked_.stop, [this] { stop_reading_.request_stop(); }};
  std::optional<Index> dimension_;
  std::optional<FitResult> lone_;  // of the first section, while there is no other
  std::optional<solver::Estimate> estimate_;
  engine::Moments moments_;   // centred, of all sections so far
  Summary summary_;           // … and what happened in them
  double section_start_ = 0;  // seconds
  double unconverged_ = 0;    // samples in sections that reached their limit of iterations
  std::optional<Termination> ended_;
};

}  // namespace

FitResult fit_stream(const Sections& next, const Options& options) {
  options.validate();
  if (!options.checkpoint.empty()) throw option_error("checkpoint", options.checkpoint, "none for a stream");
  if (!options.resume.empty()) throw option_error("resume", options.resume, "none for a stream");
  if (options.ranks) throw option_error("ranks", std::to_string(options.ranks->count()), "none for a stream");
  return StreamFit(next, options).run();
}

}  // namespace orthodict
