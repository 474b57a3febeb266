// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "coding/least_norm.h"
#include "engine/moments.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "solver/auto/constants.h"
#include "solver/auto/dependence.h"
#include "solver/auto/split.h"
#include "solver/canonical.h"
#include "solver/confidence.h"
#include "solver/consensus/resamples.h"
#include "solver/coordinates.h"
#include "solver/hash.h"
#include "solver/metadata.h"
#include "solver/options.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/judge.h"
#include "solver/overcomplete/learn.h"
#include "solver/run.h"

namespace orthodict::solver {
namespace {

// A complete dictionary is learned too where codes have so many nonzeros, next to the dimensions, or leave so much of
// the samples' energy.
constexpr double kMany = 0.125;
constexpr double kUnexplained = 0.05;
constexpr double kConfirmed = 0.25;  // the confidence of an atom that half of the halves has is about twice that

using overcomplete::Finished;
using overcomplete::Means;

// How many neighbouring samples count as one, in whitened samples.
double dependence_in(const Matrix<double>& y, const Vector<double>& scale) {
  const Index window = std::min(y.cols(), kLongestWindow);
  const Sequence heard(spread_evenly(y.cols(), window, kMostWindows));
  Matrix<double> z(y.rows(), heard.size());
  for (Index i = 0; i < heard.size(); ++i) z.col(i) = scale.cwiseProduct(y.col(heard[i]));
  return dependence_of(z, window);
}

// The samples in the principal axes of their covariance, at unit rms; axes without variance are left out.
class Axes {
 public:
  Axes(const engine::Moments& moments, bool centred, double rms) : rms_(rms) {
    mean_ = centred ? moments.mean : Vector<double>::Zero(moments.mean.size());
    const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(moments.second_moment);
    constexpr double kNothing = 1e-10;
    const Index n = eigen.values.size();
    Index rank = 0;
    while (rank < n && eigen.values[n - 1 - rank] > kNothing * eigen.values[n - 1]) ++rank;
    axes_ = eigen.vectors.rightCols(rank);
    scale_ = eigen.values.tail(rank).cwiseSqrt().cwiseInverse() * rms;
  }

  [[nodiscard]] const Vector<double>& mean() const { return mean_; }
  [[nodiscard]] const Vector<double>& scale() const { return scale_; }  // that makes variances 1

  // In columns; the hashes tell which samples are equal.
  [[nodiscard]] Matrix<double> coordinates_of(const Samples& samples, engine::Workers& workers,
                                              std::vector<std::uint64_t>* hashes) const {
    const Index p = samples.size();
    hashes->resize(static_cast<std::size_t>(p));
    Matrix<double> y(axes_.cols(), p);
    constexpr Index kBlock = 1024;
    workers.for_each(workers.count(), (p + kBlock - 1) / kBlock, [&](Index b) {
      const Index first = b * kBlock;
      const Index count = std::min(kBlock, p - first);
      Vector<double> scratch(samples.dimension() * count);
      const Block<double> block = samples.block(first, count, scratch.data());
      Matrix<double> x = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(
          block.data, samples.dimension(), count, Eigen::OuterStride<>(block.stride));
      x.colwise() -= mean_;
      for (Index i = 0; i < count; ++i) {
        const Vector<double> sample = x.col(i).array() + 0.0;  // −0 is 0
        (*hashes)[static_cast<std::size_t>(first + i)] = hash_of(values_of(sample));
      }
      linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, y.rows(), count, x.rows(), 1 / rms_, axes_.data(),
                   axes_.rows(), x.data(), x.rows(), 0.0, &y(0, first), y.rows());
    });
    return y;
  }

  // Atoms in rows, in the coordinates of the data.
  [[nodiscard]] RowMatrix<double> dictionary_of(const Matrix<double>& atoms) const {
    return linalg::multiply(axes_, atoms).transpose();
  }

 private:
  double rms_;
  Vector<double> mean_;
  Matrix<double> axes_;  // n × rank, orthonormal
  Vector<double> scale_;
};

class Overcomplete {
 public:
  explicit Overcomplete(Run& run) : run_(run), options_(run.options()) {
    const bool centred = options_.center.value_or(false);
    const engine::Moments moments = run.measure(centred);
    const Coordinates coordinates(moments, run.samples().name(), {.center = centred});
    Summary& summary = run.summary();
    summary.center = centred;
    summary.tolerance = options_.tolerance.value_or(0);
    run.describe_data(coordinates);
    axes_.emplace(moments, centred, summary.rms);
    const Index entries[] = {run.samples().size(), axes_->scale().size(), 4};
    memory::require_memory(run.samples().name(),
                           memory::array_bytes(entries, sizeof(double)).value_or(static_cast<std::size_t>(-1)));
    std::vector<std::uint64_t> hashes;
    y_ = axes_->coordinates_of(run.samples(), run.workers(), &hashes);
    leave_out_copies(hashes);
  }

  FitResult run() {
    const Means means{.workers = run_.workers(),
                      .seed = options_.seed,
                      .ended = [this] { return is_over(); },
                      .record = [this](Stage stage, double left, std::optional<double> step, Index samples,
                                       const Matrix<double>& atoms) { record(stage, left, step, samples, atoms); }};
    const std::optional<Index> most = options_.atoms ? options_.atoms->count() : std::nullopt;
    Finished learned = overcomplete::learn(y_, axes_->scale(), most, means);
    Vector<double> confidence = Vector<double>::Ones(learned.atoms.cols());
    if (learned.is_sparse()) return finish(learned, confidence);
    if (learned.atoms.cols() == 0 && !is_over()) return complete_dictionary();
    const Index rank = axes_->scale().size();
    const bool may_be_complete = learned.atoms.cols() <= rank || learned.nonzeros > kMany * static_cast<double>(rank) ||
                                 learned.left > kUnexplained;
    if (!most && may_be_complete && is_complete(1)) return *std::move(complete_);
    if (is_over()) return finish(learned, {});  // there is no time to judge
    confidence = judged(learned, means);
    if (!most && is_any_established(confidence)) keep_confirmed(&learned, &confidence);
    const bool shows_more = (confidence.array() >= kEstablished).count() > rank;
    const double mean = confidence.size() > 0 ? confidence.mean() : 0;
    if (!most && (may_be_complete || !shows_more) && is_complete(mean)) return *std::move(complete_);
    return finish(learned, confidence);
  }

 private:
  // Copies are no evidence: an atom that codes one sample codes them all. Neither are zeros.
  void leave_out_copies(const std::vector<std::uint64_t>& hashes) {
    std::unordered_set<std::uint64_t> seen;
    std::vector<Index> distinct;
    Index zeros = 0;
    for (Index i = 0; i < y_.cols(); ++i) {
      if (y_.col(i).isZero(0)) {
        ++zeros;
      } else if (seen.insert(hashes[static_cast<std::size_t>(i)]).second) {
        distinct.push_back(i);
      }
    }
    const auto kept = static_cast<Index>(distinct.size());
    run_.summary().distinct = kept + zeros;
    if (kept < y_.cols()) y_ = Matrix<double>(y_(Eigen::all, distinct));
  }

  bool is_over() {
    if (!termination_ && options_.stop.stop_requested()) termination_ = Termination::kStopped;
    if (!termination_) termination_ = run_.out_of_time();
    return termination_.has_value();
  }

  void record(Stage stage, double left, std::optional<double> step, Index samples, const Matrix<double>& atoms) {
    const bool stop =
        run_.record({.iteration = ++iteration_, .objective = left, .step = step, .stage = stage, .samples = samples},
                    [&] { return model(atoms, {}); });
    if (stop && !termination_) termination_ = Termination::kStopped;
  }

  // Whether method auto establishes all atoms of a complete dictionary, with so much confidence in the mean; that of
  // atoms in which samples are exactly sparse is 1. Learns it once.
  bool is_complete(double confidence) {
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
    options.center = run_.summary().center;
    const std::optional<Index> most = options_.atoms ? options_.atoms->count() : std::nullopt;
    if (most && *most < run_.summary().rank) options.atoms = options_.atoms;
    options.seed = options_.seed;
    options.threads = options_.threads;
    if (options_.time_limit) options.time_limit = std::max(*options_.time_limit - before, 1e-3);
    options.stop = options_.stop;
    FitResult result = fit(run_.samples(), options);
    result.summary.total_seconds += before;
    result.model.metadata = make_metadata(options_, result.summary);
    return result;
  }

  Vector<double> judged(const Finished& learned, const Means& means) {
    const double dependence = dependence_in(y_, axes_->scale());
    run_.summary().dependence = dependence;
    return overcomplete::judge(y_, axes_->scale(), learned.atoms,
                               Resamples(Resampling::kHalves, y_.cols(), dependence, options_.seed), means);
  }

  // Atoms that neither half of the samples has fit noise: they go.
  static void keep_confirmed(Finished* learned, Vector<double>* confidence) {
    std::vector<bool> keep;
    std::vector<Index> kept;
    for (Index j = 0; j < confidence->size(); ++j) {
      keep.push_back((*confidence)[j] >= kConfirmed);
      if (keep.back()) kept.push_back(j);
    }
    *learned = overcomplete::only(*learned, keep);
    *confidence = Vector<double>((*confidence)(kept));
  }

  [[nodiscard]] Model model(const Matrix<double>& atoms, const Vector<double>& confidence) const {
    Model model;
    model.mean = axes_->mean();
    model.dictionary = axes_->dictionary_of(atoms);
    model.confidence = confidence;
    if (model.atoms() <= model.dimension()) {
      model.analysis = coding::least_norm_analysis(model.dictionary);
    } else {
      model.coder = "omp";
    }
    make_signs_canonical(&model);
    return model;
  }

  FitResult finish(const Finished& learned, const Vector<double>& confidence) {
    if (learned.atoms.cols() == 0) throw Error(Fault::kStopped, "interrupted before there was an atom");
    Summary& summary = run_.summary();
    summary.dictionary = learned.atoms.cols() > summary.dimension ? Dictionary::kOvercomplete : Dictionary::kComplete;
    summary.theta = learned.nonzeros / static_cast<double>(learned.atoms.cols());
    summary.noise = learned.is_sparse() ? 0 : learned.noise * summary.rms;
    summary.usage.assign(learned.usage.begin(), learned.usage.end());
    const Termination outcome = !is_any_established(confidence) ? Termination::kNotEstablished
                                : learned.converged             ? Termination::kConverged
                                                                : Termination::kMaxIterations;
    return run_.finish(termination_.value_or(outcome), model(learned.atoms, confidence));
  }

  Run& run_;
  const Options& options_;
  std::optional<Axes> axes_;
  Matrix<double> y_;
  std::optional<FitResult> complete_;  // method auto's
  int iteration_ = 0;
  std::optional<Termination> termination_;  // set when the run has to end early
};

}  // namespace

FitResult fit_overcomplete(const Samples& samples, const Options& options) {
  Run run(samples, options, std::string(name_of(Method::kAuto)));
  return Overcomplete(run).run();
}

}  // namespace orthodict::solver
