// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coding/least_norm.h"
#include "engine/moments.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "solver/auto/constants.h"
#include "solver/auto/dependence.h"
#include "solver/auto/split.h"
#include "solver/canonical.h"
#include "solver/confidence.h"
#include "solver/consensus/resamples.h"
#include "solver/coordinates.h"
#include "solver/decide.h"
#include "solver/metadata.h"
#include "solver/options.h"
#include "solver/overcomplete/axes.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/finish.h"
#include "solver/overcomplete/judge.h"
#include "solver/overcomplete/learn.h"
#include "solver/run.h"

namespace orthodict::solver {
namespace {

using overcomplete::Finished;
using overcomplete::kDoubtful;
using overcomplete::kSure;
using overcomplete::Means;
using overcomplete::Verdict;

// How many neighbouring samples count as one, in whitened samples.
double dependence_in(const Matrix<double>& y, const Vector<double>& scale) {
  const Index window = std::min(y.cols(), kLongestWindow);
  const Sequence heard(spread_evenly(y.cols(), window, kMostWindows));
  Matrix<double> z(y.rows(), heard.size());
  for (Index i = 0; i < heard.size(); ++i) z.col(i) = scale.cwiseProduct(y.col(heard[i]));
  return dependence_of(z, window);
}

class Overcomplete {
 public:
  explicit Overcomplete(Run& run)
      : run_(run),
        options_(run.options()),
        most_(options_.atoms ? options_.atoms->count() : std::nullopt),
        moments_(run.measure(true)) {
    look(options_.center.value_or(is_mean_significant(moments_, run.samples().size())));
  }

  FitResult run() {
    Finished learned = learn();
    if (learned.atoms.cols() == 0 && is_over()) throw nothing_yet();
    if (learned.is_sparse()) return finish(learned, Vector<double>::Ones(learned.atoms.cols()));
    if (complete_ && is_complete(kSure)) return *std::move(complete_);
    if (learned.atoms.cols() == 0) return complete_dictionary();
    if (is_over()) return finish(learned, {});  // there is no time to judge
    Verdict verdict = judged(learned);
    if (is_over()) return finish(learned, {});
    if (!most_ && is_any_established(verdict.confidence)) keep_found(&learned, &verdict);
    const bool shows_more = (verdict.confidence.array() >= kEstablished).count() > axes_->rank();
    const double mean = verdict.confidence.sum() / std::max(1.0, static_cast<double>(verdict.confidence.size()));
    if ((!shows_more || mean < kDoubtful) && is_complete(mean)) return *std::move(complete_);
    return finish(with_least_error(learned), verdict.confidence);
  }

 private:
  // Takes the samples to their axes.
  void look(bool centred) {
    engine::Moments moments = moments_;
    if (!centred) moments.second_moment.noalias() += moments.mean * moments.mean.transpose();
    const Coordinates coordinates(moments, run_.samples().name(), {.center = centred});
    Summary& summary = run_.summary();
    summary.center = centred;
    summary.tolerance = options_.tolerance.value_or(0);
    run_.describe_data(coordinates);
    axes_.emplace(moments, centred);
    summary.rank = axes_->rank();
    require_memory();
    Index copies = 0;
    y_ = axes_->coordinates_of(run_.samples(), run_.workers(), &copies);
    summary.distinct = run_.samples().size() - copies;
  }

  // For the samples, two kinds of their codes, and what regression needs.
  void require_memory() const {
    const Index samples = run_.samples().size();
    const double rank = static_cast<double>(axes_->rank());
    const double most = 1.5 * static_cast<double>(std::min(most_.value_or(2 * axes_->rank()), samples));
    const double nonzeros = static_cast<double>(overcomplete::longest_code(axes_->rank()));
    const double entries =
        static_cast<double>(samples) * (overcomplete::kCopies * rank + 4 * nonzeros) + 3 * most * most;
    const double bytes = std::min(entries * sizeof(double), 1e18);
    memory::require_memory(run_.samples().name(), static_cast<std::size_t>(bytes));
  }

  // A mean may be that of the codes, without any shift: then samples are sparse as they are.
  Finished learn() {
    Finished learned = learn_as_looked_at();
    if (learned.is_sparse() || !run_.summary().center || options_.center || is_over()) return learned;
    if (complete_ && is_complete(kSure)) return learned;
    const double noise = learned.noise * axes_->rms();
    look(false);
    Finished other = learn_as_looked_at();
    if (other.is_sparse() || (!is_over() && other.left < 1 && other.noise * axes_->rms() < noise)) return other;
    look(true);
    return learned;
  }

  Finished learn_as_looked_at() { return overcomplete::learn(y_, axes_->scale(), most_, means()); }

  [[nodiscard]] Means means() {
    return {.workers = run_.workers(),
            .seed = options_.seed,
            .ended = [this] { return is_over(); },
            .has_better = [this](double nonzeros) { return nonzeros > most_nonzeros() && is_complete(kSure); },
            .centred = run_.summary().center,
            .record = [this](const overcomplete::Round& round) { record(round); }};
  }

  [[nodiscard]] double most_nonzeros() const { return overcomplete::kMany * static_cast<double>(axes_->rank()); }

  // Any thread may ask.
  bool is_over() {
    const std::lock_guard lock(mutex_);
    if (!termination_ && options_.stop.stop_requested()) termination_ = Termination::kStopped;
    if (!termination_) termination_ = run_.out_of_time();
    return termination_.has_value();
  }

  void record(const overcomplete::Round& round) {
    const bool stop = run_.record({.iteration = ++iteration_,
                                   .objective = round.left,
                                   .step = round.step,
                                   .stage = round.stage,
                                   .samples = round.samples},
                                  [&] { return model(round.atoms, round.shift, {}); });
    const std::lock_guard lock(mutex_);
    if (stop && !termination_) termination_ = Termination::kStopped;
  }

  // Whether method auto establishes all atoms of a complete dictionary, with so much confidence in the mean. Learns it
  // once.
  bool is_complete(double confidence) {
    if (most_) return false;
    if (!complete_) {
      if (is_over()) return false;
      complete_ = complete_dictionary();
    }
    const Vector<double>& found = complete_->model.confidence;
    return complete_->summary.termination == Termination::kConverged && found.size() > 0 &&
           are_all_established(found) && found.mean() >= confidence;
  }

  FitResult complete_dictionary() {
    const double before = std::chrono::duration<double>(std::chrono::steady_clock::now() - run_.start()).count();
    Options options;
    options.dictionary = Dictionary::kComplete;
    options.center = options_.center;
    if (most_ && *most_ < run_.summary().rank) options.atoms = options_.atoms;
    options.seed = options_.seed;
    options.threads = options_.threads;
    if (options_.time_limit) options.time_limit = std::max(*options_.time_limit - before, 1e-3);
    options.stop = options_.stop;
    FitResult result = fit(run_.samples(), options);
    result.summary.total_seconds += before;
    result.model.metadata = make_metadata(options_, result.summary);
    return result;
  }

  // Where neighbours depend on each other, an atom that few independent samples use can't be judged.
  Verdict judged(const Finished& learned) {
    const double dependence = dependence_in(y_, axes_->scale());
    run_.summary().dependence = dependence;
    const Resamples halves(Resampling::kHalves, y_.cols(), dependence, options_.seed);
    Verdict verdict = overcomplete::judge(y_, axes_->scale(), learned.atoms, halves, means());
    const double effective = static_cast<double>(y_.cols()) / dependence;
    for (Index j = 0; j < learned.usage.size(); ++j) {
      if (learned.usage[j] * effective < overcomplete::kLeastIndependentUses) verdict.confidence[j] = 0;
    }
    return verdict;
  }

  // Atoms that neither half of the samples has fit noise: they go.
  void keep_found(Finished* learned, Verdict* verdict) {
    std::vector<Index> kept;
    for (Index j = 0; j < verdict->confidence.size(); ++j) {
      if (verdict->found[static_cast<std::size_t>(j)]) kept.push_back(j);
    }
    *learned = overcomplete::only(y_, axes_->scale(), *learned, kept, means());
    verdict->confidence = Vector<double>(verdict->confidence(kept));
  }

  [[nodiscard]] Finished with_least_error(const Finished& learned) {
    Finished refined = overcomplete::finish(y_, axes_->scale(), learned.atoms, overcomplete::kLeastError, means());
    return refined.has_round() ? refined : learned;
  }

  [[nodiscard]] Model model(const Matrix<double>& atoms, const Vector<double>& shift,
                            const Vector<double>& confidence) const {
    Model model;
    model.mean = axes_->mean_shifted(shift);
    model.dictionary = axes_->dictionary_of(atoms);
    model.confidence = confidence;
    if (!is_more_than_rank(model.atoms())) {
      model.analysis = coding::least_norm_analysis(model.dictionary);
    } else {
      model.coder = "omp";
    }
    make_signs_canonical(&model);
    return model;
  }

  // Then samples have many codes.
  [[nodiscard]] bool is_more_than_rank(Index atoms) const { return atoms > axes_->rank(); }

  [[nodiscard]] Error nothing_yet() const {
    return Error(Fault::kStopped, termination_ == Termination::kTimeLimit
                                      ? "the time limit was reached before there was an atom"
                                      : "interrupted before there was an atom");
  }

  FitResult finish(const Finished& learned, const Vector<double>& confidence) {
    Summary& summary = run_.summary();
    summary.dictionary = is_more_than_rank(learned.atoms.cols()) ? Dictionary::kOvercomplete : Dictionary::kComplete;
    summary.theta = learned.nonzeros / static_cast<double>(learned.atoms.cols());
    if (learned.left < 1) summary.noise = learned.noise * axes_->rms();
    summary.usage.assign(learned.usage.begin(), learned.usage.end());
    const Termination outcome = !is_any_established(confidence) ? Termination::kNotEstablished
                                : learned.converged             ? Termination::kConverged
                                                                : Termination::kMaxIterations;
    return run_.finish(termination_.value_or(outcome), model(learned.atoms, learned.shift, confidence));
  }

  Run& run_;
  const Options& options_;
  std::optional<Index> most_;  // atoms that were asked for
  engine::Moments moments_;    // about the mean
  std::optional<overcomplete::Axes> axes_;
  Matrix<double> y_;
  std::optional<FitResult> complete_;  // method auto's
  int iteration_ = 0;
  std::mutex mutex_;
  std::optional<Termination> termination_;  // set when the run has to end early
};

}  // namespace

FitResult fit_overcomplete(const Samples& samples, const Options& options) {
  Run run(samples, options, std::string(name_of(Method::kAuto)));
  return Overcomplete(run).run();
}

}  // namespace orthodict::solver
