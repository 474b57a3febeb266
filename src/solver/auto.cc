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

bool all_established(const Vector<double>& confidence) { return (confidence.array() >= 0.5).all(); }

// Sizes of the random part that is explored: growing, with a fifth of the samples left to judge by. Where they are few
// all of them come first: exact zeros need no judge.
std::vector<Index> part_sizes(Index samples, Index dimension) {
  constexpr Index kMostEntries = Index{1} << 28;
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
  explicit Auto(Run& run)
      : run_(run),
        options_(run.options()),
        order_(run.samples().size(), random::Stream(options_.seed, random::Purpose::kSubsample)),
        coordinates_(decide()),
        search_(run, coordinates_, run.summary().center) {
    coordinates_.require_atoms(options_.atoms, run.samples().name());
    run_.describe_data(coordinates_);
    Summary& summary = run_.summary();
    summary.precision = options_.precision.value_or(Precision::kF64);
    summary.tolerance = std::max(options_.tolerance, rounding_noise(summary.precision, coordinates_));
  }

  FitResult run() {
    explore();
    confidence_ = clean_           ? Vector<double>(Vector<double>::Ones(coordinates_.dimension()))
                  : determination_ ? determination_->confidence(run_.samples().size())
                                   : Vector<double>(Vector<double>::Zero(coordinates_.dimension()));
    if (clean_) {
      converged_ = finish(View::of_all(run_, coordinates_, run_.summary().precision), kLeastThreshold);
    } else if ((confidence_.array() >= 0.5).any()) {
      refine();
    }
    return conclude();
  }

 private:
  // Whether to centre, and which of the two questions to answer.
  Coordinates decide() {
    engine::Moments moments = run_.measure(true);
    Summary& summary = run_.summary();
    summary.method = Method::kAuto;
    const bool asked = options_.dictionary == Dictionary::kOrthogonal || options_.whiten == Whitening::kNone;
    const bool complete = options_.dictionary == Dictionary::kComplete || options_.whiten.has_value();
    const bool orthogonal = asked || (!complete && is_spherical(moments, run_.samples(), order_));
    summary.dictionary = orthogonal ? Dictionary::kOrthogonal : Dictionary::kComplete;
    summary.center = options_.center.value_or(!asked && mean_matters(moments, run_.samples().size()));
    if (!summary.center) moments.second_moment.noalias() += moments.mean * moments.mean.transpose();
    const Whitening whitening = options_.whiten.value_or(options_.atoms ? Whitening::kPca : Whitening::kZca);
    return {moments, run_.samples().name(),
            Preprocessing{.whiten = orthogonal ? Whitening::kNone : whitening,
                          .center = summary.center,
                          .equilibrate = !orthogonal,
                          .atoms = orthogonal ? std::nullopt : options_.atoms}};
  }
  [[nodiscard]] bool is_complete() const { return run_.summary().dictionary == Dictionary::kComplete; }
  // Single precision will do to explore.
  [[nodiscard]] Precision explore_precision() const { return options_.precision.value_or(Precision::kF32); }

  // Until the structure is established: on samples not used, or by exact zeros.
  void explore() {
    constexpr int kAttempts = 3;
    const std::vector<Index> sizes = part_sizes(run_.samples().size(), coordinates_.dimension());
    int attempt = 0;
    search_.restart(start(attempt));
    for (std::size_t level = 0; level < sizes.size() && !search_.ended(); ++level) {
      part_.emplace(View::of_part(run_, coordinates_, order_, 0, sizes[level], explore_precision()));
      const bool last = level + 1 == sizes.size();
      const bool judged_before = level > 0 && sizes[level] < sizes[level - 1];
      if (judged_before) search_.restart(start(++attempt));
      for (int tries = 0; tries < (last ? kAttempts : 1) && !search_.ended(); ++tries) {
        if (tries > 0) search_.restart(start(++attempt));
        if (establish(last)) return;
      }
    }
    if (best_) search_.restore(*best_);
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
    reset_mixture();
    settle(thorough);
    for (int round = 0; round < kUntangleRounds && untangle(); ++round) settle(Bias::kPerAtom, kWithBiasRemoved);
    if (sharpen() && !untangle() && finish_on_part()) return clean_ = true;
    const Index judged_from = part_->size();
    const Index left = run_.samples().size() - judged_from;
    if (left < kFewestToJudge || search_.ended()) return false;
    const Index count = std::min(left, std::max<Index>(4000, 4 * coordinates_.dimension()));
    const View fresh = View::of_part(run_, coordinates_, order_, judged_from, count, explore_precision());
    const Determination found(fresh.codes(search_.b(), search_.shift(), count), *mixture_.stretch());
    const Vector<double> confidence = found.confidence(judged_from);
    if (!determination_ || confidence.sum() >= best_sum_) {
      determination_ = found;
      best_ = search_.state();
      best_sum_ = confidence.sum();
    }
    return all_established(confidence);
  }

  // The shrinkage stretch, until atoms stay where they are. Bias removal needs fewer steps, and near the edge of what
  // can be found has the smaller basin: the plain step is there for that.
  void settle(bool thorough) {
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
    constexpr Index kCoefficients = Index{1} << 24;
    const Index count = std::clamp<Index>(kCoefficients / coordinates_.dimension(), 1, part_->size());
    const auto pairs = tangled_pairs(part_->codes(search_.b(), search_.shift(), count));
    for (const auto& [i, j] : pairs) search_.turn_by_45_degrees(i, j);
    return !pairs.empty();
  }

  // The mixture's steps on the part at hand, and thresholds that fall if zeros may be exact. True when they are.
  bool sharpen() {
    const int first = is_complete() ? 8 : 3;
    constexpr int kMore = 10;
    constexpr double kSharp = 1e-3;
    for (int i = 0; i < first; ++i) step_with_mixture(*part_);
    if (mixture_.noise_to_signal() < kMaybeClean) {
      const Search::State before = search_.state();
      if (lower_threshold()) return true;
      search_.restore(before);
    }
    for (int i = 0; i < kMore && search_.step() > kSharp && !search_.ended(); ++i) step_with_mixture(*part_);
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
      const Matrix<double> codes = part_->codes(search_.b(), search_.shift(), count);
      mixture_ = fit_mixture(is_partial() ? Matrix<double>(codes(established_, Eigen::all)) : codes, mixture_);
      mixture_stands_ = search_.step() <= kStill && std::abs(std::log(mixture_.noise / before)) <= kSame;
    }
    return step(view, *mixture_.stretch(), mixture_.noise_to_signal() < kRegression, Stage::kRefine);
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
    const double rate = std::clamp(step / last_step, 0.05, 0.9);
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
    zeros_ = 1 - search_.mean_curvature().array();
    return threshold < kLastThreshold && zeros_are_exact(*part_);
  }

  // Every atom has more coefficients below the last threshold than choice can give (a direction may be chosen to be
  // orthogonal to d − 1 samples, and with them to those that equal them) and than chance can.
  [[nodiscard]] bool zeros_are_exact(const View& view) const {
    const auto size = static_cast<double>(view.size());
    const double needed = static_cast<double>(2 * coordinates_.dimension() + part_->duplicates()) + kByChance * size;
    const Vector<double>& kept = search_.mean_curvature();
    const Vector<double> shares = is_partial() ? Vector<double>(kept(established_)) : kept;
    return (size * (1 - shares.array()) >= needed).all();
  }

  // To the last digits on the part at hand: noise that is small but not zero shows now, and then the search is back
  // where it was.
  bool finish_on_part() {
    const Search::State before = search_.state();
    const View part = View::of_part(run_, coordinates_, order_, 0, part_->size(), run_.summary().precision);
    constexpr double kStillThere = 0.95;
    if (finish(part, kLastThreshold) && zeros_are_exact(part) &&
        (1 - search_.mean_curvature().array() >= kStillThere * zeros_.array()).all()) {
      return true;
    }
    search_.restore(before);
    return false;
  }

  // Exact zeros: until the last digits stand.
  bool finish(const View& view, double threshold) {
    constexpr int kMost = 60;
    const bool single = view.precision() != Precision::kF64;
    const double least = single ? kLastThreshold : kLeastThreshold;
    const double exact =
        std::max(std::min(kExact, options_.tolerance), 2 * rounding_noise(view.precision(), coordinates_));
    for (int i = 0; i < kMost; ++i) {
      const double last_step = leading_steps().maxCoeff();
      threshold = std::max(threshold, least);
      if (!step_with_threshold(view, threshold)) return false;
      const bool still = step_length(leading_steps()) <= exact;
      // Coefficients between the threshold and zero would be taken for zeros.
      if (still && threshold <= least) return true;
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
    const Search::State before = search_.state();
    const bool settled = refine(all, whole ? kMost : kMostWithWanderers);
    // Exact zeros in some atoms leave a mixture without noise, whose stretch is linear and moves nothing.
    if (whole || search_.ended() || (settled && mixture_.noise > 2 * Mixture::kLeastNoise)) return;
    converged_ = false;
    search_.restore(before);
    reset_mixture();
    for (Index i = 0; i < confidence_.size(); ++i) {
      if (confidence_[i] >= 0.5) established_.push_back(i);
    }
    search_.let_lead(established_);
    step_with_mixture(all);
    if (mixture_.noise_to_signal() < kMaybeClean && finish_partial(all)) return;
    refine(all, kMost);
  }
  bool refine(const View& all, int most) {
    for (int i = 0; i < most && !converged_ && step_with_mixture(all); ++i) {
      converged_ = step_length(leading_steps()) <= run_.summary().tolerance;
    }
    return converged_;
  }
  // Exact zeros in the atoms that are established.
  bool finish_partial(const View& all) {
    const Search::State before = search_.state();
    clean_ = converged_ = finish(all, kFirstThreshold) && zeros_are_exact(all);
    if (!clean_) search_.restore(before);
    return clean_;
  }
  [[nodiscard]] Vector<double> leading_steps() const {
    return is_partial() ? Vector<double>(search_.row_steps()(established_)) : search_.row_steps();
  }
  [[nodiscard]] bool is_partial() const {
    return !established_.empty() && static_cast<Index>(established_.size()) < coordinates_.dimension();
  }

  FitResult conclude() {
    if (!converged_ && !is_complete()) search_.orthonormalize();
    search_.evaluate(*part_);
    Model model = search_.model(confidence_);
    Summary& summary = run_.summary();
    if (clean_) {
      const Vector<double>& kept = search_.mean_curvature();
      summary.theta = is_partial() ? kept(established_).mean() : kept.mean();
      summary.noise = 0;
    } else if (model.confidence.maxCoeff() >= 0.5) {
      summary.theta = mixture_.theta;
      summary.noise = mixture_.noise * coordinates_.code_rms(model);
    }
    if (options_.atoms && *options_.atoms < model.atoms()) keep_first(*options_.atoms, &model);
    if (search_.ended()) return run_.finish(*search_.ended(), std::move(model));
    if (model.confidence.maxCoeff() < 0.5) return run_.finish(Termination::kNoStructure, std::move(model));
    return run_.finish(converged_ ? Termination::kConverged : Termination::kMaxIterations, std::move(model));
  }

  static void keep_first(Index atoms, Model* model) {
    model->dictionary.conservativeResize(atoms, Eigen::NoChange);
    model->analysis.conservativeResize(atoms, Eigen::NoChange);
    model->confidence.conservativeResize(atoms);
  }

  Run& run_;
  const Options& options_;
  random::Permutation order_;
  Coordinates coordinates_;
  Search search_;
  std::optional<View> part_;  // what is explored
  Mixture mixture_;
  bool mixture_stands_ = false;
  Vector<double> zeros_;            // share of coefficients below the last threshold in single precision, per atom
  bool clean_ = false;              // coefficients have exact zeros
  std::vector<Index> established_;  // atoms, once that is known
  bool converged_ = false;
  std::optional<Determination> determination_;  // of the best attempt so far
  std::optional<Search::State> best_;
  double best_sum_ = 0;
  Vector<double> confidence_;
};

}  // namespace

FitResult run_auto(Run& run) { return Auto(run).run(); }

}  // namespace orthodict::solver
