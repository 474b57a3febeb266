// SPDX-License-Identifier: Apache-2.0
#include "baselines/ksvd.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "baselines/atom_update.h"
#include "baselines/common.h"
#include "coding/omp.h"
#include "linalg/blas.h"
#include "memory/allocation.h"
#include "orthodict/error.h"

namespace orthodict::baselines {
namespace {

using Products = coding::Products<double>;
using Pursuit = coding::Pursuit<double>;
using coding::PursuitEnd;

constexpr int kMaxIterations = 200;
constexpr int kCycles = 2;          // cycles over the atoms, per coding
constexpr double kSettled = 0.01;   // when no atom moves by more, codes may become longer
constexpr double kCoherent = 0.99;  // |cos| above which atoms count as duplicates
constexpr Index kLeastUse = 4;      // samples
constexpr Index kBlock = 256;       // samples per block of codes
constexpr Index kLookAhead = 8;     // one in this many samples measures the cost of a smaller error

// The length of codes.
struct Goal {
  Index sparsity = 0;
  std::optional<double> error = {};  // ‖y − Dx‖/√n, in units of the samples' rms
};

// The result of coding a block.
struct Tally {
  double squared_error = 0;
  Index extra = 0;  // additional nonzeros needed for half the error, over all samples tested
};

class Ksvd : Alternation {
 public:
  Ksvd(solver::Run& run, const KsvdOptions& how)
      : Alternation(run, [&](Index n, Index atoms) { return bytes_per_sample(n, atoms, how); }),
        is_fixed_(how.sparsity.has_value()),
        goal_{how.sparsity.value_or(an_eighth(std::min(atoms_, n_)))},
        codes_(static_cast<std::size_t>((p_ + kBlock - 1) / kBlock)),
        tallies_(codes_.size()),
        energy_(y_.squaredNorm()) {
    run.summary().parameters = {{"sparsity", static_cast<double>(goal_.sparsity)}};
    update_.emplace(n_, p_, run.workers());
  }

  FitResult run() {
    Matrix<double> coded = d_;
    Vector<double> steps;
    for (int iteration = 0;; ++iteration) {
      const std::optional<Termination> end = reason_to_end(iteration, steps);
      if (!code_samples()) return interrupted(coded);
      coded = d_;
      const auto step = steps.size() > 0 ? std::optional(solver::step_length(steps)) : std::nullopt;
      if (record(iteration, relative_error(), step, p_, coder())) return finish(Termination::kStopped);
      if (end) return finish(*end);
      if (!update_atoms()) return interrupted(coded);
      replace_atoms();
      steps = solver::row_steps(coded.transpose(), d_.transpose());
      choose_goal(steps);
    }
  }

 private:
  static Index an_eighth(Index atoms) { return (atoms + 7) / 8; }
  // Samples and residuals; codes and, sorted by atoms, codes again, of half the atoms each where they grow.
  static std::size_t bytes_per_sample(Index n, Index atoms, const KsvdOptions& how) {
    const auto sparsity = static_cast<std::size_t>(how.sparsity.value_or((atoms + 1) / 2));
    const std::size_t entry = sizeof(Index) + sizeof(double);
    return 2 * (sizeof(double) * static_cast<std::size_t>(n) + entry * sparsity);
  }

  std::optional<Termination> reason_to_end(int iteration, const Vector<double>& steps) const {
    if (steps.size() > 0 && !explores() && solver::step_length(steps) <= run_.summary().tolerance) {
      return Termination::kConverged;
    }
    if (iteration >= options_.max_iterations.value_or(kMaxIterations)) return Termination::kMaxIterations;
    return std::nullopt;
  }
  // Whether the first part of the rule for unset sparsity applies.
  [[nodiscard]] bool explores() const { return !is_fixed_ && atoms_ == n_ && !goal_.error; }

  // Computes all codes and residuals. Returns false if interrupted.
  bool code_samples() {
    const Products products(d_);
    const auto k = static_cast<double>(atoms_);
    const double length = goal_.error ? k / 2 : static_cast<double>(goal_.sparsity);
    const double flops = static_cast<double>(p_) * k * (4 * static_cast<double>(n_) + length * length);
    std::atomic<std::size_t> next = 0;
    run_.workers().run(engine::team_for(flops, run_.workers()), [&](int) {
      Pursuit pursuit(products);
      Matrix<double> scratch(products.stride(), kBlock);
      for (std::size_t b = next++; b < codes_.size() && !is_interrupted(); b = next++) {
        code_block(products, b, pursuit, scratch);
        subtract(b, scratch);
      }
    });
    if (is_interrupted()) return false;
    ++run_.summary().passes;
    squared_error_ = 0;
    for (const Tally& tally : tallies_) squared_error_ += tally.squared_error;
    return true;
  }

  void code_block(const Products& products, std::size_t b, Pursuit& pursuit, Matrix<double>& correlations) {
    const Index first = first_of(b);
    products.correlate(&y_(0, first), count_of(b), correlations.data());
    codes_[b].clear();
    tallies_[b].extra = 0;
    for (Index i = 0; i < count_of(b); ++i) {
      pursuit.start(&correlations(0, i), y_.col(first + i).squaredNorm());
      pursuit.extend({goal_.sparsity, goal_.error ? allowed(*goal_.error) : PursuitEnd::kNoError});
      codes_[b].append(pursuit.picked(), pursuit.coefficients());
      if (goal_.error && (first + i) % kLookAhead == 0) {
        const Index before = pursuit.size();
        pursuit.extend({goal_.sparsity, allowed(*goal_.error / 2)});
        tallies_[b].extra += pursuit.size() - before;
      }
    }
  }
  [[nodiscard]] double allowed(double error) const { return static_cast<double>(n_) * error * error; }
  static Index first_of(std::size_t block) { return static_cast<Index>(block) * kBlock; }
  [[nodiscard]] Index count_of(std::size_t block) const { return std::min(kBlock, p_ - first_of(block)); }

  // R = Y − DX for a block, by a dense product.
  void subtract(std::size_t b, Matrix<double>& x) {
    const Index count = count_of(b);
    x.leftCols(count).setZero();
    codes_[b].scatter(&x);
    auto r = update_->residual().block(0, first_of(b), n_, count);
    r = y_.middleCols(first_of(b), count);
    linalg::gemm(linalg::Op::kNone, linalg::Op::kNone, n_, count, atoms_, -1, d_.data(), n_, x.data(), x.rows(), 1,
                 r.data(), r.outerStride());
    tallies_[b].squared_error = r.squaredNorm();
  }

  // Returns false if interrupted.
  bool update_atoms() {
    update_->gather(codes_, kBlock, atoms_);
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      for (Index atom = 0; atom < atoms_; ++atom) {
        if (is_interrupted()) return false;
        update_->update(atom, &d_(0, atom));
      }
    }
    return true;
  }

  void replace_atoms() {
    constexpr double kRepresented = 1e-20;  // squared error, relative to ‖y‖², at the level of rounding
    Vector<double> errors;
    for (Index atom = 0; atom < atoms_; ++atom) {
      Vector<double> cosines = (d_.transpose() * d_.col(atom)).cwiseAbs();
      cosines[atom] = 0;
      if (update_->uses(atom) >= kLeastUse && cosines.maxCoeff() <= kCoherent) continue;
      if (errors.size() == 0) errors = update_->residual().colwise().squaredNorm();
      Index worst = 0;
      const double largest = errors.maxCoeff(&worst);
      if (largest <= kRepresented * y_.col(worst).squaredNorm()) return;
      d_.col(atom) = y_.col(worst).normalized();
      errors[worst] = 0;
    }
  }

  // The rule for unset sparsity; see KsvdOptions.
  void choose_goal(const Vector<double>& steps) {
    if (explores() && steps.maxCoeff() <= kSettled) {
      goal_ = {atoms_, std::sqrt(relative_error())};
    } else if (goal_.error && halving_pays()) {
      goal_.error = *goal_.error / 2;
    }
  }

  [[nodiscard]] bool halving_pays() const {
    Index extra = 0;
    for (const Tally& tally : tallies_) extra += tally.extra;
    const auto asked = static_cast<double>((p_ + kLookAhead - 1) / kLookAhead);
    const double cost = std::log(static_cast<double>(atoms_) * 2 / *goal_.error);
    return static_cast<double>(extra) / asked * cost <= static_cast<double>(n_) * std::log(2.0);
  }

  [[nodiscard]] std::string coder() const { return fmt::format("omp:{}", goal_.sparsity); }
  [[nodiscard]] double relative_error() const { return squared_error_ / energy_; }

  FitResult interrupted(const Matrix<double>& last) {
    d_ = last;
    return finish(interruption());
  }

  FitResult finish(Termination termination) {
    if (goal_.error) run_.summary().parameters.emplace_back("code_error", *goal_.error);
    return run_.finish(termination, model(coder()));
  }

  bool is_fixed_;  // the sparsity is given
  Goal goal_;
  std::vector<CodeBlock> codes_;
  std::vector<Tally> tallies_;  // one per block of codes
  std::optional<AtomUpdate> update_;
  double squared_error_ = 0;
  double energy_ = 0;  // ‖Y‖²
};

}  // namespace

FitResult fit_ksvd(const Samples& samples, const Options& options, const KsvdOptions& how) {
  validate(options, "ksvd", false);
  require_real(samples, "ksvd");
  solver::Run run(samples, options, "ksvd");
  const Index atoms = options.atoms.value_or(run.samples().dimension()).count().value_or(1);
  if (how.sparsity && (*how.sparsity < 1 || *how.sparsity > atoms)) {
    throw option_error("sparsity", fmt::format("{}", *how.sparsity), fmt::format("1 … {}, the atoms", atoms));
  }
  return Ksvd(run, how).run();
}

}  // namespace orthodict::baselines
