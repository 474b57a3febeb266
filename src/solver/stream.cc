// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <optional>
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
    std::unique_ptr<Samples> section = next_();
    if (!section) throw data_error("stream", "has no samples");
    std::unique_ptr<Samples> following = next_();
    while (section && !ended_) {
      if (following && following->size() < section->size() / 2) {
        section = join(std::move(section), std::move(following));
        following = next_();
      }
      std::future<std::unique_ptr<Samples>> reading;
      if (following) reading = std::async(std::launch::async, next_);
      if (auto result = fit_section(*section)) add(*std::move(result), *section);
      section = std::move(following);
      if (reading.valid()) following = reading.get();
    }
    return lone_ ? *std::move(lone_) : conclude();
  }

 private:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  static std::unique_ptr<Samples> join(std::unique_ptr<Samples> one, std::unique_ptr<Samples> other) {
    std::vector<std::unique_ptr<Samples>> both;
    both.push_back(std::move(one));
    both.push_back(std::move(other));
    return join_samples(std::move(both));
  }

  // Nothing where the run ended before it began.
  std::optional<FitResult> fit_section(const Samples& section) {
    if (asked_.time_limit) options_.time_limit = *asked_.time_limit - seconds();
    if (options_.time_limit && *options_.time_limit <= 0) {
      ended_ = Termination::kTimeLimit;
      return std::nullopt;
    }
    try {
      FitResult result = fit(section, options_);
      const Termination termination = result.summary.termination;
      if (termination == Termination::kStopped || termination == Termination::kTimeLimit) ended_ = termination;
      return result;
    } catch (const Error& error) {
      if (!estimate_ || error.fault() != Fault::kStopped) throw;
      ended_ = Termination::kStopped;
      return std::nullopt;
    }
  }

  // The numbers of a stream go on where those of its last section ended.
  bool observe(const Iterate& iterate) {
    if (!asked_.callback) return false;
    IterationRecord record = iterate.record();
    record.iteration += summary_.iterations;
    record.seconds = seconds();
    const std::function<Model()> model = [&iterate] { return iterate.model(); };
    return asked_.callback(Iterate(record, model));
  }

  void add(FitResult result, const Samples& section) {
    const auto size = static_cast<double>(section.size());
    solver::Estimate found{
        .model = result.model, .atom_samples = Vector<double>::Constant(result.model.atoms(), size), .samples = size};
    engine::Workers workers(result.summary.threads);
    const engine::Moments moments = *engine::measure_moments(section, false, workers, {});
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

  void add_moments(const engine::Moments& section, double size) {
    const double share = size / (size + estimate_->samples);
    moments_.mean += share * (section.mean - moments_.mean);
    moments_.second_moment += share * (section.second_moment - moments_.second_moment);
  }

  void add_summary(const Summary& section, double size) {
    const double share = size / (size + estimate_->samples);
    const auto mean = [share](double before, double now) { return before + share * (now - before); };
    for (IterationRecord record : section.history) {
      record.iteration += summary_.iterations;
      record.seconds = seconds();
      summary_.history.push_back(record);
    }
    if (section.theta) summary_.theta = mean(summary_.theta.value_or(*section.theta), *section.theta);
    if (section.noise) summary_.noise = mean(summary_.noise.value_or(*section.noise), *section.noise);
    summary_.rms = std::sqrt(mean(summary_.rms * summary_.rms, section.rms * section.rms));
    summary_.samples += section.samples;
    summary_.iterations += section.iterations;
    summary_.passes = std::max(summary_.passes, section.passes);
    summary_.rank = std::max(summary_.rank, section.rank);
    summary_.objective += section.objective;
    summary_.moments_seconds += section.moments_seconds;
    summary_.pass_seconds += section.pass_seconds;
    summary_.projection_seconds += section.projection_seconds;
    if (section.termination == Termination::kMaxIterations) summary_.termination = section.termination;
  }

  FitResult conclude() {
    FitResult result{std::move(estimate_->model), std::move(summary_)};
    const Vector<double>& mean = result.model.mean;
    const Matrix<double> cross = mean * moments_.mean.transpose();
    solver::make_canonical(moments_.second_moment - cross - cross.transpose() + mean * mean.transpose(), &result.model);
    Summary& summary = result.summary;
    summary.atoms = result.model.atoms();
    summary.established = (result.model.confidence.array() >= solver::kEstablished).count();
    summary.termination = ended_.value_or(outcome(summary));
    summary.message = solver::describe_outcome(summary);
    summary.total_seconds = seconds();
    result.model.metadata = solver::make_metadata(asked_, summary);
    return result;
  }

  // That of the sections: what one didn't find another may have found.
  static Termination outcome(const Summary& summary) {
    const bool judged = summary.method == name_of(Method::kAuto);
    if (judged && summary.established == 0) return Termination::kNoStructure;
    return summary.termination == Termination::kNoStructure ? Termination::kConverged : summary.termination;
  }

  const Sections& next_;
  const Options& asked_;
  Options options_;  // of the next section
  Clock::time_point start_ = Clock::now();
  std::optional<FitResult> lone_;  // of the first section, while there is no other
  std::optional<solver::Estimate> estimate_;
  engine::Moments moments_;  // about zero, of all sections so far
  Summary summary_;          // … and what happened in them
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
