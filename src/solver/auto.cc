// SPDX-License-Identifier: Apache-2.0
#include "solver/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "linalg/blas.h"
#include "solver/confidence.h"
#include "solver/decide.h"
#include "solver/mixture.h"
#include "solver/search.h"
#include "solver/start.h"
#include "solver/tangles.h"
#include "solver/view.h"

namespace orthodict::solver {
namespace {

// Thresholds and steps are in units of the coefficients' rms.
constexpr int kWithBiasRemoved = 150;  // steps that explore on one part, from one start
constexpr int kUntangleRounds = 4;
constexpr double kSettled = 0.02;         // explore until no atom moves further
constexpr double kFirstThreshold = 0.3;   // of the finish, falling by half …
constexpr double kLastThreshold = 1e-4;   // … to what single precision can still tell from zero
constexpr double kAboveError = 3;         // it stays this far above what is left of the error in coefficients
constexpr Index kFewestToJudge = 30;      // samples to tell structure from chance
constexpr double kByChance = 1e-3;        // share of coefficients that may be below it without being zeros
constexpr double kLeastThreshold = 1e-7;  // of the finish in double precision
constexpr double kExact = 1e-9;           // a step of the finish that is this small is the last
constexpr double kMaybeClean = 0.1;       // noise to signal below which exact zeros may be behind it
constexpr double kRegression = 0.3;       // noise to signal below which regression beats the orthogonal group

bool all_established(const Vector<double>& confidence) { return (confidence.array() >= kEstablished).all(); }

// Sizes of the random part that is explored: growing, with a fifth of the samples left to judge by. Where they are few
// all of them come first: exact zeros need no judge.
std::vector<Index> part_sizes(Index samples, Index dimension) {
  constexpr Index kMostEntries = Index{1} << 26;  // 256 MiB in single precision
  const Index first = std::max<Index>(20 * dimension, 1000);
  const Index most = std::max<Index>(samples * 4 / 5, 1);
  if (first >= most) return {samples, most};
  const Index largest = std::min(most, std::max(first, kMostEntries / dimension));
  std::vector<Index> sizes;
  for (Index size = first; size < largest; size *= 4) sizes.push_back(size);
  // A last step of less than a half isn't worth one of its own.
  if (sizes.size() > 1 && largest < sizes.back() * 3 / 2) sizes.pop_back();
  sizes.push_back(largest);
  return sizes;
}

class Auto {
 public:
  // Moments are centred.
  Auto(Run& run, const engine::Moments& moments, Dictionary dictionary)
      : run_(run),
        options_(run.options()),
        order_(run.samples().size(), random::Stream(options_.seed, random::Purpose::kSubsample)),
        coordinates_(decide(moments, dictionary)),
        search_(run, coordinates_, run.summary().center) {
    coordinates_.require_atoms(options_.atoms, run.samples().name());
    run_.describe_data(coordinates_);
    Summary& summary = run_.summary();
    summary.precision = options_.precision == Precision::kF32 ? Precision::kF32 : Precision::kF64;
    run_.require_resolvable(summary.precision, size_of_values(moments, true), coordinates_);
    summary.tolerance = std::max(options_.tolerance, rounding_noise(summary.precision, coordinates_));
  }

  // Until the structure is established: on samples not used, or by exact zeros. False when nothing was found, and a
  // dictionary that was taken for orthogonal may be the reason: few samples can't tell.
  bool explore() {
    explore_parts();
    const bool found = clean_ || (best_ && best_->on_part.sum() > 0);
    return found || search_.ended() || !doubtful_;
  }

  FitResult run() {
    const Index d = coordinates_.dimension();
    if (clean_) {
      confidence_ = Vector<double>::Ones(d);
      converged_ = finish(View::of_all(run_, coordinates_, run_.summary().precision), kLeastThreshold);
      return conclude();
    }
    confidence_ = Vector<double>::Zero(d);
    if (best_) confidence_ = search_.ended() ? best_->on_part : best_->on_all;
    if ((confidence_.array() >= kEstablished).any()) refine();
    return conclude();
  }

 private:
  // Whether to centre, and which of the two questions to answer.
  Coordinates decide(engine::Moments moments, Dictionary dictionary) {
    Summary& summary = run_.summary();
    const bool asked = dictionary == Dictionary::kOrthogonal || options_.whiten == Whitening::kNone;
    const bool complete = dictionary == Dictionary::kComplete || options_.whiten.has_value();
    const bool orthogonal =
        asked || (!complete && is_spherical(moments, run_.samples(), order_, run_.workers().collective()));
    doubtful_ = orthogonal && !asked;
    summary.dictionary = orthogonal ? Dictionary::kOrthogonal : Dictionary::kComplete;
    summary.center = options_.center.value_or(!asked && mean_matters(moments, run_.samples().size()));
    if (!summary.center) moments.second_moment.noalias() += moments.mean * moments.mean.transpose();
    const Whitening whitening = options_.whiten.value_or(Whitening::kZca);
    return {moments, run_.samples().name(),
            Preprocessing{.whiten = orthogonal ? Whitening::kNone : whitening,
                          .center = summary.center,
                          .equilibrate = !orthogonal,
                          .atoms = !orthogonal && whitening == Whitening::kPca ? options_.atoms : std::nullopt,
                          .square = true}};
  }
  [[nodiscard]] bool is_complete() const { return run_.summary().dictionary == Dictionary::kComplete; }
  // Single precision will do to explore.
  [[nodiscard]] Precision explore_precision() const {
    return options_.precision == Precision::kF64 ? Precision::kF64 : Precision::kF32;
  }

  // A run that recalls what it did needs its parts whole: a stop waits until it is back at its work.
  [[nodiscard]] std::stop_token stop_of_copies() const {
    return run_.journal().is_replaying() ? std::stop_token() : options_.stop;
  }

  void explore_parts() {
    constexpr int kAttempts = 3;
    const std::vector<Index> sizes = part_sizes(run_.samples().size(), coordinates_.dimension());
    int attempt = 0;
    search_.restart(start(attempt));
    for (std::size_t level = 0; level < sizes.size() && !search_.ended(); ++level) {
      part_.reset();  // there need not be room for both
      part_.emplace(View::of_part(run_, coordinates_, order_, 0, sizes[level], explore_precision(), stop_of_copies()));
      const bool last = level + 1 == sizes.size();
      // What is to be judged by samples left out must not have seen them.
      if (level > 0 && sizes[level] < sizes[level - 1]) search_.restart(start(attempt));
      for (int tries = 0; tries < (last ? kAttempts : 1) && !search_.ended(); ++tries) {
        if (tries > 0) search_.restart(start(++attempt));
        if (establish(last)) return;
      }
    }
    if (!best_) return;
    search_.restore(*best_->state);
    mixture_ = best_->mixture;
  }

  // A square orthogonal start, in the data's range where rank is lost. Where a file gives fewer atoms than there are to
  // learn, random ones follow.
  Matrix<double> start(int attempt) {
    const Index d = coordinates_.dimension();
    const bool given = attempt == 0 && options_.init == Initialization::kGiven;
    const Matrix<double> first = start_of(options_, coordinates_, options_.atoms, attempt);
    if (!given || first.rows() >= d) return run_.project(first.topRows(d), engine::Arithmetic::kF64);
    const Matrix<double> rows = run_.project(first, engine::Arithmetic::kF64);
    Matrix<double> all = start_of(options_, coordinates_, std::nullopt, 1).topRows(d);
    all -= linalg::multiply(linalg::multiply(all, linalg::Op::kNone, rows, linalg::Op::kTranspose), rows);
    all.topRows(rows.rows()) = rows;
    return run_.project(all, engine::Arithmetic::kF64);
  }

  // One attempt on the part at hand. True when it established all atoms.
  bool establish(bool thorough) {
    explore_part(thorough);
    for (int round = 0; round < kUntangleRounds && untangle(); ++round) settle(Bias::kPerAtom, kWithBiasRemoved);
    reset_mixture();
    if (sharpen()) {
      if (!untangle()) {
        clean_ = finish_on_part();
        if (clean_) return true;
      } else {
        settle(Bias::kPerAtom, kWithBiasRemoved);
        reset_mixture();
        sharpen();
      }
    }
    return !search_.ended() && judge();
  }

  // True when samples that weren't used establish all atoms. The best attempt so far is kept.
  bool judge() {
    constexpr Index kMostEntries = Index{1} << 23;
    const Index d = coordinates_.dimension();
    const Index used = part_->size();
    const Index left = run_.samples().size() - used;
    if (left < kFewestToJudge) return false;
    const Index count = std::min({left, std::max<Index>(4000, 4 * d), std::max<Index>(1000, kMostEntries / d)});
    const Journal::Entry confidence = run_.journal().recall(2 * d, [&] {
      const View fresh = View::of_part(run_, coordinates_, order_, used, count, explore_precision());
      const Determination found(fresh.codes(search_.b(), search_.shift(), count, Determination::kMatrices),
                                *mixture_.stretch());
      Journal::Entry both(2 * d);
      both << found.confidence(used), found.confidence(run_.samples().size());
      return both;
    });
    const Vector<double> on_part = confidence.head(d);
    const bool established = all_established(on_part);
    if (!best_ || established || on_part.sum() >= best_->on_part.sum()) {
      best_ = Candidate{search_.keep(), mixture_, on_part, confidence.tail(d)};
    }
    return established;
  }

  // The shrinkage stretch, until atoms stay where they are. Bias removal needs fewer steps, and near the edge of what
  // can be found has the smaller basin: the plain step is there for that.
  void explore_part(bool thorough) {
    constexpr int kPlain = 300;
    if (settle(Bias::kPerAtom, kWithBiasRemoved) || !thorough) return;
    settle(Bias::kKept, kPlain);
    settle(Bias::kPerAtom, kWithBiasRemoved / 2);
  }
  bool settle(Bias bias, int most) {
    const auto shrinkage = make_stretch("soft:1");
    for (int i = 0; i < most; ++i) {
      if (!search_.project(*part_, *shrinkage, bias, Stage::kExplore)) return false;
      if (search_.row_steps().maxCoeff() <= kSettled) return true;
    }
    return false;
  }

  // True when atoms were at a saddle, and are turned away from it.
  bool untangle() {
    if (search_.ended()) return false;
    const bool recalls = run_.journal().is_replaying();
    const Journal::Entry pairs = run_.journal().recall(Journal::kAnySize, [&] {
      std::vector<double> rows;
      for (const auto& [i, j] : tangled_pairs(codes_of(*part_))) {
        rows.push_back(static_cast<double>(i));
        rows.push_back(static_cast<double>(j));
      }
      return Journal::Entry(Eigen::Map<const Vector<double>>(rows.data(), static_cast<Index>(rows.size())));
    });
    const auto last = static_cast<double>(coordinates_.dimension() - 1);
    if (recalls && (pairs.size() % 2 != 0 || !(pairs.array() >= 0 && pairs.array() <= last).all())) {
      run_.journal().refuse("damaged checkpoint: atoms that aren't there are tangled");
    }
    for (Index k = 0; k < pairs.size(); k += 2) {
      search_.turn_by_45_degrees(static_cast<Index>(pairs[k]), static_cast<Index>(pairs[k + 1]));
    }
    return pairs.size() > 0;
  }

  // The mixture's steps on the part at hand, and thresholds that fall if zeros may be exact. True when they are.
  bool sharpen() {
    const int first = is_complete() ? 8 : 3;
    constexpr int kMore = 10;
    constexpr double kSharp = 1e-3;
    for (int i = 0; i < first; ++i) {
      if (!step_with_mixture(*part_)) return false;
    }
    if (mixture_.noise_to_signal() < kMaybeClean) {
      const auto before = search_.keep();
      if (lower_threshold()) return true;
      search_.restore(*before);
    }
    for (int i = 0; i < kMore && search_.step() > kSharp; ++i) {
      if (!step_with_mixture(*part_)) return false;
    }
    return false;
  }

  bool step_with_mixture(const View& view) {
    constexpr Index kCoefficients = Index{1} << 19;
    const Index count = std::clamp<Index>(kCoefficients / coordinates_.dimension(), 1, part_->size());
    // Once atoms hardly move, a mixture that goes on moving with them would be all that keeps them from standing still.
    constexpr double kStill = 1e-4;
    constexpr double kSame = 0.01;
    if (!mixture_stands_) {
      const double before = mixture_.noise;
      mixture_ = mixture_of_codes(count);
      mixture_stands_ = search_.step() <= kStill && std::abs(std::log(mixture_.noise / before)) <= kSame;
    }
    return step(view, *mixture_.stretch(), mixture_.noise_to_signal() < kRegression, Stage::kRefine);
  }

  // Fitted to the coefficients of the first `count` samples.
  [[nodiscard]] Mixture mixture_of_codes(Index count) {
    const bool recalls = run_.journal().is_replaying();
    const Journal::Entry fitted = run_.journal().recall(3, [&] {
      const Matrix<double> codes = part_->codes(search_.b(), search_.shift(), count, 1);
      const Mixture found =
          fit_mixture(is_partial() ? Matrix<double>(codes(established_, Eigen::all)) : codes, mixture_);
      return Journal::Entry{{found.theta, found.noise, found.signal}};
    });
    const Mixture mixture{.theta = fitted[0], .noise = fitted[1], .signal = fitted[2]};
    if (recalls && !mixture.is_legal()) run_.journal().refuse("damaged checkpoint: a mixture that can't be");
    return mixture;
  }

  void reset_mixture() {
    mixture_ = Mixture();
    mixture_stands_ = false;
  }

  bool step(const View& view, const Stretch& stretch, bool sharp, Stage stage) {
    if (is_complete() && sharp && !is_partial()) return search_.regress(view, stretch, stage);
    return search_.project(view, stretch, Bias::kPooled, stage);
  }

  bool step_with_threshold(const View& view, double threshold) {
    return step(view, *make_stretch(fmt::format("hard:{}", threshold)), true, Stage::kFinish);
  }
  // Half of it or less, as long as it stays above the error of the coefficients that should be zero: with steps that
  // shrink by the factor ρ, what is left of an atom's error is step·ρ/(1 − ρ), and √d times that of a coefficient's.
  [[nodiscard]] double next_threshold(double threshold, double last_step) const {
    const double step = leading_steps().maxCoeff();
    const bool known = last_step > 0 && std::isfinite(last_step);
    const double rate = known ? std::clamp(step / last_step, 0.05, 0.9) : 0.5;
    const double left = step * rate / (1 - rate) * std::sqrt(static_cast<double>(coordinates_.dimension()));
    const double least = kAboveError * left;
    return least >= threshold ? threshold : std::min(threshold / 2, std::max(least, threshold / 10));
  }

  // True when zeros come out.
  bool lower_threshold() {
    constexpr int kMost = 60;
    double threshold = kFirstThreshold;
    for (int i = 0; i < kMost && threshold >= kLastThreshold; ++i) {
      const double last_step = leading_steps().maxCoeff();
      if (!step_with_threshold(*part_, threshold)) return false;
      threshold = next_threshold(threshold, last_step);
    }
    return threshold < kLastThreshold && zeros_are_exact(*part_);
  }
  // Per atom that leads, the share of coefficients that the last threshold took for zeros.
  [[nodiscard]] Vector<double> zeros() const {
    const Vector<double> all = 1 - search_.mean_curvature().array();
    return is_partial() ? Vector<double>(all(established_)) : all;
  }

  // Every atom has more coefficients below the last threshold than choice can give (a direction may be chosen to be
  // orthogonal to d − 1 samples, and with them to those that equal them) and than chance can.
  [[nodiscard]] bool zeros_are_exact(const View& view) const {
    const auto size = static_cast<double>(view.size());
    const double choice = static_cast<double>(2 * coordinates_.dimension()) + part_->duplicates() * size;
    return (size * zeros().array() >= choice + kByChance * size).all();
  }

  // To the last digits on the part at hand: noise that is small but not zero shows now, and then the search is back
  // where it was.
  bool finish_on_part() {
    constexpr Index kMostEntries = Index{1} << 24;  // in double precision half of what is explored
    const Index d = coordinates_.dimension();
    const Index count = std::min(part_->size(), std::max<Index>(20 * d, kMostEntries / d));
    const auto before = search_.keep();
    const View part = View::of_part(run_, coordinates_, order_, 0, count, run_.summary().precision, stop_of_copies());
    if (finish(part, kLastThreshold)) return true;
    search_.restore(*before);
    return false;
  }

  // Exact zeros: until the last digits stand. False when the zeros didn't hold: coefficients that are small but not
  // zero reappear as the threshold falls.
  bool finish(const View& view, double threshold) {
    constexpr int kMost = 60;
    constexpr double kStillThere = 0.95;
    std::optional<Vector<double>> zeros_at_first;
    const bool single = view.precision() != Precision::kF64;
    const double least = single ? kLastThreshold : kLeastThreshold;
    const double exact =
        std::max(std::min(kExact, options_.tolerance), 2 * rounding_noise(view.precision(), coordinates_));
    for (int i = 0; i < kMost; ++i) {
      const double last_step = leading_steps().maxCoeff();
      threshold = std::max(threshold, least);
      if (!step_with_threshold(view, threshold)) return false;
      if (!zeros_at_first && threshold <= kLastThreshold) zeros_at_first = zeros();
      const bool still = step_length(leading_steps()) <= exact;
      // Coefficients between the threshold and zero would be taken for zeros.
      if (still && threshold <= least) {
        return zeros_are_exact(view) && (zeros().array() >= kStillThere * zeros_at_first->array()).all();
      }
      threshold = still ? least : next_threshold(threshold, last_step);
    }
    return false;
  }

  // Noise: the mixture's steps on all samples, until atoms stay where they are. Where some aren't established these may
  // wander, and then only the others lead.
  void refine() {
    constexpr int kMost = 200;
    constexpr int kMostWithWanderers = 20;
    const View all = View::of_all(run_, coordinates_, run_.summary().precision);
    const bool whole = all_established(confidence_);
    const auto before = search_.keep();
    mixture_stands_ = false;
    const bool still = step_until_still(all, whole ? kMost : kMostWithWanderers);
    // Exact zeros in some atoms leave a mixture without noise, whose stretch is linear and moves nothing.
    if (whole || search_.ended() || (still && mixture_.noise > 2 * Mixture::kLeastNoise)) return;
    converged_ = false;
    search_.restore(*before);
    reset_mixture();
    for (Index i = 0; i < confidence_.size(); ++i) {
      if (confidence_[i] >= kEstablished) established_.push_back(i);
    }
    search_.let_lead(established_);
    step_with_mixture(all);
    if (mixture_.noise_to_signal() < kMaybeClean && finish_partial(all)) return;
    step_until_still(all, kMost);
  }
  bool step_until_still(const View& all, int most) {
    for (int i = 0; i < most && !converged_ && step_with_mixture(all); ++i) {
      converged_ = step_length(leading_steps()) <= run_.summary().tolerance;
    }
    return converged_;
  }
  // Exact zeros in the atoms that are established.
  bool finish_partial(const View& all) {
    const auto before = search_.keep();
    clean_ = converged_ = finish(all, kFirstThreshold);
    if (!clean_) search_.restore(*before);
    return clean_;
  }
  [[nodiscard]] Vector<double> leading_steps() const {
    return is_partial() ? Vector<double>(search_.row_steps()(established_)) : search_.row_steps();
  }
  [[nodiscard]] bool is_partial() const {
    return !established_.empty() && static_cast<Index>(established_.size()) < coordinates_.dimension();
  }

  FitResult conclude() {
    if (!converged_) search_.polish(!is_complete());
    search_.evaluate(*part_);
    if (clean_ || mixture_.noise < kLastThreshold / 10) distrust_nested_supports();
    Model model = search_.model(confidence_);
    const bool found = confidence_.maxCoeff() >= kEstablished;
    Summary& summary = run_.summary();
    if (clean_) {
      summary.theta = 1 - zeros().mean();
      summary.noise = 0;
    } else if (found) {
      summary.theta = mixture_.theta;
      summary.noise = mixture_.noise * (is_complete() ? coordinates_.code_rms(model) : coordinates_.rms());
    }
    const Termination outcome = !found       ? Termination::kNoStructure
                                : converged_ ? Termination::kConverged
                                             : Termination::kMaxIterations;
    return run_.finish(search_.ended().value_or(outcome), std::move(model));
  }

  void distrust_nested_supports() {
    NestedSupports nested = nested_supports(codes_of(*part_), kLastThreshold);
    if (nested.undecided && part_->size() < run_.samples().size()) {
      const Index count = std::min(run_.samples().size(), std::max(part_->size(), cheap_to_hold()));
      const View more = View::of_part(run_, coordinates_, order_, 0, count, explore_precision());
      nested = nested_supports(codes_of(more), kLastThreshold);
    }
    for (std::size_t i = 0; i < nested.rows.size(); ++i) {
      if (nested.rows[i]) confidence_[static_cast<Index>(i)] = 0;
    }
  }
  // Coefficients of a part, or of as many of its samples as are cheap to hold.
  [[nodiscard]] Matrix<double> codes_of(const View& part) const {
    constexpr Index kSizesAndSquares = 2;
    return part.codes(search_.b(), search_.shift(), std::min(part.size(), cheap_to_hold()), kSizesAndSquares);
  }
  [[nodiscard]] Index cheap_to_hold() const {
    constexpr Index kCoefficients = Index{1} << 24;
    return std::max<Index>(kCoefficients / coordinates_.dimension(), 1);
  }

  // An attempt that was judged.
  struct Candidate {
    std::shared_ptr<const Search::State> state;
    Mixture mixture;
    Vector<double> on_part;  // confidences, if no more samples are used than it was found on
    Vector<double> on_all;   // … and if all are
  };

  Run& run_;
  const Options& options_;
  random::Permutation order_;
  bool doubtful_ = false;  // the dictionary was taken for orthogonal without being asked to
  Coordinates coordinates_;
  Search search_;
  std::optional<View> part_;  // what is explored
  Mixture mixture_;
  bool mixture_stands_ = false;
  bool clean_ = false;              // coefficients have exact zeros
  std::vector<Index> established_;  // atoms, once that is known
  bool converged_ = false;
  std::optional<Candidate> best_;
  Vector<double> confidence_;
};

}  // namespace

FitResult run_auto(Run& run) {
  const engine::Moments moments = run.measure(true);
  run.journal().open(run.summary(), run.samples(), moments);
  auto method = std::make_unique<Auto>(run, moments, run.options().dictionary);
  if (!method->explore()) {
    method = std::make_unique<Auto>(run, moments, Dictionary::kComplete);
    (void)method->explore();
  }
  return method->run();
}

}  // namespace orthodict::solver
