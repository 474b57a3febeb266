// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/explore.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "linalg/blas.h"
#include "random/stream.h"
#include "solver/overcomplete/codes.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/repair.h"

namespace orthodict::solver::overcomplete {
namespace {

using linalg::Op;

// One step of all atoms by themselves: Σ z·stretch(eᵀz), at unit norm. stretch(products, sample) changes the products
// of a sample with all atoms. Samples fall into lanes, whose sums are added in order: the same bits for any number of
// threads. If means.ended(), the atoms as they were.
template <typename Stretch>
Matrix<float> sharpened(const Matrix<float>& z, const Matrix<float>& atoms, const Stretch& stretch,
                        const Means& means) {
  constexpr Index kLanes = 16;
  const Index blocks = (z.cols() + Codes::kBlock - 1) / Codes::kBlock;
  std::vector<Matrix<float>> sums(kLanes);
  means.for_each(kLanes, [&](Index lane) {
    Matrix<float>& sum = sums[static_cast<std::size_t>(lane)];
    sum = Matrix<float>::Zero(atoms.rows(), atoms.cols());
    Matrix<float> products(atoms.cols(), Codes::kBlock);
    for (Index b = lane * blocks / kLanes; b < (lane + 1) * blocks / kLanes && !means.ended(); ++b) {
      const Index first = b * Codes::kBlock;
      const Index count = std::min(Codes::kBlock, z.cols() - first);
      linalg::gemm(Op::kTranspose, Op::kNone, atoms.cols(), count, atoms.rows(), 1.0F, atoms.data(), atoms.rows(),
                   &z(0, first), z.rows(), 0.0F, products.data(), products.rows());
      for (Index i = 0; i < count; ++i) stretch(products.col(i), first + i);
      linalg::gemm(Op::kNone, Op::kTranspose, atoms.rows(), atoms.cols(), count, 1.0F, &z(0, first), z.rows(),
                   products.data(), products.rows(), 1.0F, sum.data(), sum.rows());
    }
  });
  if (means.ended()) return atoms;
  for (std::size_t lane = 1; lane < sums.size(); ++lane) sums[0] += sums[lane];
  return unit_columns(std::move(sums[0]));
}

// Indices drawn without replacement in proportion to their weights (Efraimidis, Spirakis 2006).
std::vector<Index> drawn(const Vector<double>& weights, Index count, const random::Stream& stream, std::uint64_t draw) {
  std::vector<std::pair<double, Index>> keys;
  for (Index i = 0; i < weights.size(); ++i) {
    const double uniform = 1 - stream.uniform(static_cast<Index>(draw), i);
    if (weights[i] > 0) keys.emplace_back(-std::log(uniform) / weights[i], i);
  }
  const auto most = std::min(static_cast<std::size_t>(count), keys.size());
  std::partial_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(most), keys.end());
  std::vector<Index> indices;
  for (std::size_t i = 0; i < most; ++i) indices.push_back(keys[i].second);
  return indices;
}

// Columns that are neither zero nor close to one of `atoms`.
Matrix<float> new_ones(const Matrix<float>& fresh, const Matrix<float>& atoms) {
  const Matrix<float> cosines = linalg::multiply(atoms, Op::kTranspose, fresh, Op::kNone);
  std::vector<bool> keep(static_cast<std::size_t>(fresh.cols()));
  for (Index j = 0; j < fresh.cols(); ++j) {
    const bool known = atoms.cols() > 0 && cosines.col(j).cwiseAbs().maxCoeff() >= kKnown;
    keep[j] = !known && fresh.col(j).squaredNorm() > 0.5F;
  }
  return columns_of(fresh, keep);
}

Matrix<float> start_atoms(const Matrix<float>& z, Index count, const Means& means) {
  const random::Permutation order(z.cols(), random::Stream(means.seed, random::Purpose::kInitialization));
  Matrix<float> atoms(z.rows(), std::min(count, z.cols()));
  for (Index j = 0; j < atoms.cols(); ++j) atoms.col(j) = z.col(order[j]);
  atoms = unit_columns(std::move(atoms));
  const auto shrink = [](auto&& products, Index /*sample*/) {
    products = products.array().sign() * (products.array().abs() - kShrink).max(0.0F);
  };
  for (int step = 0; step < kSharpenings && !means.ended(); ++step) atoms = sharpened(z, atoms, shrink, means);
  return new_ones(atoms, Matrix<float>(z.rows(), 0));
}

Matrix<float> joined(const Matrix<float>& a, const Matrix<float>& b) {
  Matrix<float> both(a.rows(), a.cols() + b.cols());
  both << a, b;
  return both;
}

// Rounds of codes, regression and repair.
class Exploration {
 public:
  Exploration(const Matrix<double>& y, const Vector<double>& scale, Index most, double expected, const Means& means)
      : means_(means),
        unscale_(scale.cwiseInverse()),
        z_((scale.asDiagonal() * y).cast<float>()),
        most_(most),
        chance_(y.rows(), expected) {
    energy_ = z_.cast<double>().squaredNorm();
    rule_.most = longest_code(z_.rows());
  }

  Explored run(Index start) {
    Explored result;
    atoms_ = start_atoms(z_, start, means_);
    age_.assign(static_cast<std::size_t>(atoms_.cols()), 0);
    for (int round = 0; round < kRounds && atoms_.cols() > 0 && !means_.ended(); ++round) {
      const double progress = static_cast<double>(round) / (kRounds - 1);
      rule_.share = kFirstShare * std::pow(kLastShare / kFirstShare, progress);
      rule_.chance = chance_.among(atoms_.cols());
      take_round(round, &result);
      if (atoms_.cols() == 0 || means_.ended()) break;
      means_.record({.stage = Stage::kExplore,
                     .left = 1 - result.explained,
                     .step = std::nullopt,
                     .samples = z_.cols(),
                     .atoms = unit_columns<double>(unscale_.asDiagonal() * atoms_.cast<double>()),
                     .shift = Vector<double>::Zero(z_.rows())});
    }
    result.atoms = std::move(atoms_);
    return result;
  }

 private:
  void take_round(int round, Explored* result) {
    const Codes codes = greedy_codes(z_, atoms_, rule_, means_);
    if (means_.ended()) return;
    const ByAtom by_atom(codes, atoms_.cols());
    const double left = codes.squared_residual.sum() / energy_;
    result->explained = 1 - left;
    result->nonzeros = static_cast<double>(by_atom.samples.size()) / static_cast<double>(z_.cols());
    Regression fitted = regress(z_, codes, by_atom, std::nullopt, atoms_.cast<double>(), means_);
    if (round >= kFirstRepair * kRounds) (void)turn_back(codes, by_atom, means_, &fitted.atoms);
    if (means_.ended()) return;
    const bool late = round >= kLate * kRounds;
    const std::vector<bool> keep = which_to_keep(by_atom, fitted, late);
    std::vector<double> uses;
    for (Index j = 0; j < by_atom.atoms(); ++j) uses.push_back(static_cast<double>(by_atom.uses(j)));
    result->uses = quantile(std::move(uses), 0.1);

    const Matrix<float> coded_with = std::exchange(atoms_, columns_of(fitted.atoms, keep).cast<float>());
    const double missing = std::ceil(std::min(left, kMostNew) * static_cast<double>(coded_with.cols()));
    const Index wanted = late ? 0 : std::min(static_cast<Index>(missing), most_ - atoms_.cols());
    if (wanted > 0 && rule_.chance.size() > 2) add_atoms(coded_with, codes, wanted, round);
    age_.resize(static_cast<std::size_t>(atoms_.cols()), 0);
  }

  // Also brings the ages up to date, of those that are kept.
  std::vector<bool> which_to_keep(const ByAtom& by_atom, const Regression& fitted, bool late) {
    const Vector<double> energies = by_atom.energies();
    const double typical = quantile(energies, 0.5);
    std::vector<bool> keep = duplicates(fitted.atoms, energies, kDuplicateInExploration);
    std::vector<int> ages;
    for (Index j = 0; j < by_atom.atoms(); ++j) {
      const int age = age_[static_cast<std::size_t>(j)] + 1;
      const bool idle = energies[j] < (late ? kIdleLate : kIdle) * typical && age > kYoung;
      keep[j] = !keep[j] && !fitted.unused[j] && !idle && by_atom.uses(j) >= kLeastUses;
      if (keep[j]) ages.push_back(age);
    }
    age_ = std::move(ages);
    return keep;
  }

  void add_atoms(const Matrix<float>& coded_with, const Codes& codes, Index wanted, int round) {
    Matrix<float> residuals(z_.rows(), z_.cols());
    means_.for_each(static_cast<Index>(codes.blocks.size()), [&](Index b) {
      const Index end = std::min((b + 1) * Codes::kBlock, z_.cols());
      for (Index i = b * Codes::kBlock; i < end; ++i) residuals.col(i) = residual(z_, coded_with, codes, i);
    });
    if (means_.ended()) return;
    const auto draw = static_cast<std::uint64_t>(round);
    atoms_ = joined(atoms_, atoms_of_residuals(residuals, wanted, rule_.chance[2], atoms_, draw, means_));
  }

  const Means& means_;
  Vector<double> unscale_;
  Matrix<float> z_;
  Index most_;
  Chance chance_;
  double energy_ = 0;
  Rule rule_;
  Matrix<float> atoms_;
  std::vector<int> age_;  // of each atom, in rounds
};

}  // namespace

Matrix<float> atoms_of_residuals(const Matrix<float>& residuals, Index count, double chance, const Matrix<float>& atoms,
                                 std::uint64_t draw, const Means& means) {
  const random::Stream stream(means.seed, random::Purpose::kResiduals);
  const Vector<double> energy = residuals.cast<double>().colwise().squaredNorm();
  const std::vector<Index> starts = drawn(energy, count, stream, draw);
  if (starts.empty()) return Matrix<float>(residuals.rows(), 0);
  Matrix<float> fresh = unit_columns<float>(residuals(Eigen::all, starts));
  // Each call has its own part of the residuals.
  const random::Permutation order(residuals.cols(), stream);
  Matrix<float> part(residuals.rows(), std::min(kResiduals, residuals.cols()));
  Vector<float> limits(part.cols());
  for (Index i = 0; i < part.cols(); ++i) {
    const Index at = order[(i + static_cast<Index>(draw) * part.cols()) % residuals.cols()];
    part.col(i) = residuals.col(at);
    limits[i] = static_cast<float>(std::sqrt(chance * energy[at]));
  }
  const auto keep_large = [&](auto&& products, Index sample) {
    products = (products.array().abs() > limits[sample]).select(products, 0.0F);
  };
  for (int step = 0; step < kResidualSteps; ++step) fresh = sharpened(part, fresh, keep_large, means);
  return new_ones(fresh, atoms);
}

Explored explore(const Matrix<double>& y, const Vector<double>& scale, Index start, Index most, double expected,
                 const Means& means) {
  return Exploration(y, scale, most, expected, means).run(start);
}

}  // namespace orthodict::solver::overcomplete
