// SPDX-License-Identifier: Apache-2.0
#include "baselines/online.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "baselines/common.h"
#include "coding/lasso.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "random/stream.h"

namespace orthodict::baselines {
namespace {

using linalg::Op;

constexpr int kMaxIterations = 500;
constexpr double kFirstPenalty = 0.7;
constexpr double kLeastPenalty = 1e-9;
constexpr double kFall = 0.25;        // factor of λ from round to round
constexpr double kSettled = 0.02;     // in units of λ: atoms that move by less have settled
constexpr int kMaxRound = 40;         // most iterations in a round
constexpr Index kRoundSamples = 100;  // samples per atom in a round, while λ falls
constexpr double kMemory = 12;        // memory in samples per atom, while λ falls
constexpr Index kBatch = 256;         // samples between updates of the atoms
constexpr Index kBlock = 32;          // samples per coding task
constexpr double kUnused = 1e-12;     // Σx² relative to the largest over the atoms

class Online : Alternation {
 public:
  Online(solver::Run& run, const OnlineOptions& how)
      : Alternation(run, [](Index n, Index atoms) { return sizeof(double) * static_cast<std::size_t>(n + atoms); }),
        finds_noise_(!how.penalty),
        order_(p_, random::Stream(options_.seed, random::Purpose::kSubsample)),
        codes_(Matrix<double>::Zero(atoms_, p_)),
        a_(Matrix<double>::Zero(atoms_, atoms_)),
        b_(Matrix<double>::Zero(n_, atoms_)) {
    last_penalty_ = how.penalty.value_or(std::max(run.summary().tolerance, kLeastPenalty));
    penalty_ = std::max(last_penalty_, kFirstPenalty);
  }

  FitResult run() {
    for (int iteration = 1; iteration <= options_.max_iterations.value_or(kMaxIterations); ++iteration) {
      const Matrix<double> before = d_;
      if (!learn_from_round()) {
        d_ = before;
        return finish(interruption());
      }
      const double step = solver::step_length(solver::row_steps(before.transpose(), d_.transpose()));
      if (record(iteration, objective_, step, round_samples(), coder())) return finish(Termination::kStopped);
      if (is_last_ && step <= run_.summary().tolerance) return finish(Termination::kConverged);
      if (!is_last_) choose_round(step);
    }
    return finish(Termination::kMaxIterations);
  }

 private:
  [[nodiscard]] Index round_samples() const { return is_last_ ? p_ : std::min(p_, kRoundSamples * atoms_); }
  [[nodiscard]] double memory() const {
    const auto samples = static_cast<double>(round_samples());
    return is_last_ ? samples : std::min(samples, kMemory * static_cast<double>(atoms_));
  }

  // Goes once over the samples of the round, always in the same order, so that atoms converge from one iteration to the
  // next even with a short memory. Returns false if interrupted.
  bool learn_from_round() {
    objective_ = 0;
    zeros_ = 0;
    const Index samples = round_samples();
    for (Index first = 0; first < samples; first += kBatch) {
      if (is_interrupted()) return false;
      const Index count = std::min(kBatch, samples - first);
      gather(first, count);
      code(first, count);
      accumulate(first, count);
      update_atoms();
      seen_ += static_cast<double>(count);
    }
    if (!is_last_) replace_unused();
    return true;
  }

  void gather(Index first, Index count) {
    batch_.resize(n_, count);
    for (Index i = 0; i < count; ++i) batch_.col(i) = y_.col(order_[first + i]);
  }

  void code(Index first, Index count) {
    const Matrix<double> gram = linalg::multiply(d_, Op::kTranspose, d_, Op::kNone);
    const Index blocks = (count + kBlock - 1) / kBlock;
    tallies_.assign(static_cast<std::size_t>(blocks), {});
    const double flops = static_cast<double>(count * atoms_) * static_cast<double>(2 * n_ + 4 * atoms_);
    run_.workers().for_each(engine::team_for(flops, run_.workers()), blocks, [&](Index block) {
      const Index start = block * kBlock;
      tallies_[static_cast<std::size_t>(block)] = code_block(gram, first, start, std::min(kBlock, count - start));
    });
    for (const Tally& tally : tallies_) {
      objective_ += tally.objective;
      zeros_ += tally.zeros;
    }
  }

  struct Tally {
    double objective = 0;
    Index zeros = 0;  // zero coefficients
  };

  // Codes samples [start, start + count) of the batch, which itself starts at `first`.
  Tally code_block(const Matrix<double>& gram, Index first, Index start, Index count) {
    const coding::Lasso<double> lasso(gram.data(), atoms_, atoms_, penalty_);
    auto x = codes_.middleCols(first + start, count);
    Matrix<double> c(atoms_, count);  // Dᵀy
    linalg::gemm(Op::kTranspose, Op::kNone, atoms_, count, n_, 1, d_.data(), n_, &batch_(0, start), n_, 0, c.data(),
                 atoms_);
    Matrix<double> r = c;  // Dᵀ(y − Dx)
    linalg::gemm(Op::kNone, Op::kNone, atoms_, count, atoms_, -1, gram.data(), atoms_, x.data(), atoms_, 1, r.data(),
                 atoms_);
    for (Index i = 0; i < count; ++i) lasso.solve(&x(0, i), &r(0, i));
    const double squared_error = batch_.middleCols(start, count).squaredNorm() - x.cwiseProduct(c + r).sum();
    return {squared_error / 2 + penalty_ * x.cwiseAbs().sum(), (x.array() == 0).count()};
  }

  void accumulate(Index first, Index count) {
    const double keep = std::max(0.0, 1 - static_cast<double>(count) / memory());
    const double* x = &codes_(0, first);
    const double flops = 2 * static_cast<double>(count * atoms_) * static_cast<double>(n_ + atoms_);
    run_.workers().for_each(engine::team_for(flops, run_.workers()), 2, [&](Index task) {
      const bool is_a = task == 0;
      Matrix<double>& sum = is_a ? a_ : b_;
      linalg::gemm(Op::kNone, Op::kTranspose, sum.rows(), atoms_, count, 1, is_a ? x : batch_.data(), sum.rows(), x,
                   atoms_, keep, sum.data(), sum.rows());
    });
  }

  // One pass of block coordinate descent for min ½tr(DᵀDA) − tr(DᵀB) in the unit ball; with this warm start one is
  // enough.
  void update_atoms() {
    const double largest = a_.diagonal().maxCoeff();
    Vector<double> image(n_);  // D·a_j
    for (Index j = 0; j < atoms_; ++j) {
      if (!(a_(j, j) > kUnused * largest)) continue;
      linalg::gemm(Op::kNone, Op::kNone, n_, 1, atoms_, 1, d_.data(), n_, &a_(0, j), atoms_, 0, image.data(), n_);
      d_.col(j) += (b_.col(j) - image) / a_(j, j);
      d_.col(j) /= std::max(1.0, d_.col(j).norm());
    }
  }

  void replace_unused() {
    const double largest = a_.diagonal().maxCoeff();
    for (Index j = 0; j < atoms_; ++j) {
      if (a_(j, j) > kUnused * largest) continue;
      const Vector<double> y = y_.col(order_[replacements_++ % p_]);
      if (y.norm() > 0) d_.col(j) = y.normalized();
    }
  }

  // When the atoms have settled, lowers λ or, at its last value, starts the round on all samples.
  void choose_round(double step) {
    ++round_length_;
    if (step > kSettled * penalty_ && round_length_ < kMaxRound) return;
    round_length_ = 0;
    const bool is_noise = finds_noise_ && zeros_before_ && zeros_ < *zeros_before_ / 2;
    zeros_before_ = zeros_;
    is_last_ = is_noise || penalty_ <= last_penalty_;
    if (is_last_) {
      code_unseen();
    } else {
      penalty_ = std::max(last_penalty_, kFall * penalty_);
    }
  }

  // Samples that weren't in a round so far start from their codes without penalty. With the small λ reached by now,
  // descent from zero would take very long if atoms are nearly dependent, and unfinished codes would spoil the atoms.
  void code_unseen() {
    const Index first = std::min(p_, kRoundSamples * atoms_);
    if (atoms_ != n_ || first == p_) return;
    const std::optional<Matrix<double>> inverse = linalg::solve(d_, Matrix<double>::Identity(n_, n_));
    if (!inverse || !inverse->allFinite()) return;
    for (Index begin = first; begin < p_; begin += kBatch) {
      const Index count = std::min(kBatch, p_ - begin);
      gather(begin, count);
      codes_.middleCols(begin, count) = linalg::multiply(*inverse, batch_);
    }
  }

  [[nodiscard]] std::string coder() const { return fmt::format("lasso:{}", penalty_); }

  FitResult finish(Termination termination) {
    Summary& summary = run_.summary();
    summary.parameters = {{"penalty", penalty_}};
    summary.passes += static_cast<int>(seen_ / static_cast<double>(p_));
    return run_.finish(termination, model(coder()));
  }

  bool finds_noise_;
  random::Permutation order_;
  Matrix<double> codes_;  // codes, in random order
  Matrix<double> a_;      // k×k
  Matrix<double> b_;      // n×k
  Matrix<double> batch_;
  std::vector<Tally> tallies_;
  double penalty_ = 0;  // λ, in units of the samples' rms
  double last_penalty_ = 0;
  bool is_last_ = false;  // in the round on all samples
  int round_length_ = 0;
  double objective_ = 0;
  Index zeros_ = 0;                    // zeros in the codes of this iteration
  std::optional<Index> zeros_before_;  // zeros in the codes before λ last fell
  Index replacements_ = 0;
  double seen_ = 0;  // number of samples seen
};

}  // namespace

FitResult fit_online(const Samples& samples, const Options& options, const OnlineOptions& how) {
  validate(options, "online", false);
  require_real(samples, "online");
  if (how.penalty && !(*how.penalty > 0 && std::isfinite(*how.penalty))) {
    throw option_error("penalty", fmt::format("{}", *how.penalty), "a finite number > 0");
  }
  solver::Run run(samples, options, "online");
  return Online(run, how).run();
}

}  // namespace orthodict::baselines
