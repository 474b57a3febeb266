// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coding/least_norm.h"
#include "engine/moments.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "solver/canonical.h"
#include "solver/confidence.h"
#include "solver/coordinates.h"
#include "solver/options.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/judge.h"
#include "solver/overcomplete/learn.h"
#include "solver/run.h"

namespace orthodict::solver {
namespace {

constexpr double kMany = 0.125;      // nonzeros of a code, next to the dimensions
constexpr double kConfirmed = 0.25;  // the confidence of an atom that half of the halves has is about twice that

using overcomplete::Finished;
using overcomplete::Means;

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

  [[nodiscard]] Matrix<double> coordinates_of(const Samples& samples, engine::Workers& workers) const {
    const Index p = samples.size();
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
    y_ = axes_->coordinates_of(run.samples(), run.workers());
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
    if (is_over()) {
      confidence.resize(0);  // there is no time to judge
    } else if (!learned.is_sparse()) {
      confidence = overcomplete::judge(y_, axes_->scale(), learned.atoms, means);
      const bool is_any = is_any_established(confidence);
      if (!most && is_any) keep_confirmed(&learned, &confidence);
      const Index rank = axes_->scale().size();
      const bool is_doubtful =
          !is_any || learned.atoms.cols() <= rank || learned.nonzeros > kMany * static_cast<double>(rank);
      if (!most && is_doubtful) {
        if (auto complete = complete_dictionary()) return *std::move(complete);
      }
    }
    return finish(learned, confidence);
  }

 private:
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

  // Samples that don't show more atoms than dimensions, or need many of them, may be exactly sparse in a complete
  // dictionary.
  std::optional<FitResult> complete_dictionary() {
    if (is_over()) return std::nullopt;
    Options options;
    options.dictionary = Dictionary::kComplete;
    options.center = run_.summary().center;
    options.seed = options_.seed;
    options.threads = options_.threads;
    options.time_limit = options_.time_limit;
    options.stop = options_.stop;
    FitResult result = fit(run_.samples(), options);
    const bool is_exact = result.summary.termination == Termination::kConverged &&
                          result.summary.noise.value_or(1) == 0 && result.summary.established == result.summary.atoms;
    return is_exact ? std::optional(std::move(result)) : std::nullopt;
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
    if (learned.atoms.cols() == 0) {
      if (termination_) throw Error(Fault::kStopped, "interrupted before there was an atom");
      throw data_error(run_.samples().name(), "no atom was found: too few samples, or too few that differ");
    }
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
  int iteration_ = 0;
  std::optional<Termination> termination_;  // set when the run has to end early
};

}  // namespace

FitResult fit_overcomplete(const Samples& samples, const Options& options) {
  Run run(samples, options, std::string(name_of(Method::kAuto)));
  return Overcomplete(run).run();
}

}  // namespace orthodict::solver
