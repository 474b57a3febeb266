// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/codes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "coding/chance.h"
#include "coding/least_squares.h"
#include "coding/omp.h"
#include "coding/products.h"
#include "linalg/cholesky.h"
#include "linalg/lapack.h"
#include "solver/overcomplete/columns.h"
#include "solver/overcomplete/constants.h"

namespace orthodict::solver::overcomplete {
namespace {

Index blocks_for(Index samples) { return (samples + Codes::kBlock - 1) / Codes::kBlock; }

}  // namespace

Codes::Place Codes::of(Index sample) const {
  const coding::CodeBlock& block = blocks[static_cast<std::size_t>(sample / kBlock)];
  const auto i = static_cast<std::size_t>(sample % kBlock);
  return {&block, static_cast<std::size_t>(block.begin[i]), static_cast<std::size_t>(block.begin[i + 1])};
}

ByAtom::ByAtom(const Codes& codes, Index atoms) : begin(static_cast<std::size_t>(atoms) + 1, 0) {
  for (const coding::CodeBlock& block : codes.blocks) {
    for (const Index atom : block.atoms) ++begin[static_cast<std::size_t>(atom) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  samples.resize(static_cast<std::size_t>(begin.back()));
  values.resize(samples.size());
  std::vector<Index> next = begin;
  for (Index i = 0; i < codes.samples(); ++i) {
    const Codes::Place code = codes.of(i);
    for (std::size_t e = code.begin; e < code.end; ++e) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(code.atom(e))]++);
      samples[at] = i;
      values[at] = code.value(e);
    }
  }
}

Vector<double> ByAtom::energies() const {
  Vector<double> energy = Vector<double>::Zero(atoms());
  for (Index j = 0; j < atoms(); ++j) {
    for (Index e = begin[j]; e < begin[j + 1]; ++e) energy[j] += values[e] * values[e];
  }
  return energy;
}

const std::vector<double>& Chance::among(Index atoms) {
  if (cosines_.empty() || std::abs(atoms - atoms_) * kSettledFor > atoms_) {
    atoms_ = atoms;
    cosines_ = coding::chance_cosines(dimensions_, atoms, longest_code(dimensions_), expected_);
  }
  return cosines_;
}

template <typename Scalar>
Codes greedy_codes(const Matrix<Scalar>& z, const Matrix<Scalar>& atoms, const Rule& rule, const Means& means) {
  const coding::Products<Scalar> products(atoms);
  Codes codes;
  codes.blocks.resize(static_cast<std::size_t>(blocks_for(z.cols())));
  codes.squared_residual.resize(z.cols());
  means.for_each(blocks_for(z.cols()), [&](Index b) {
    const Index first = b * Codes::kBlock;
    const Index count = std::min(Codes::kBlock, z.cols() - first);
    coding::CodeBlock& block = codes.blocks[static_cast<std::size_t>(b)];
    Matrix<Scalar> correlations(products.stride(), count);
    products.correlate(&z(0, first), count, correlations.data());
    coding::Pursuit<Scalar> pursuit(products);
    std::vector<double> values;
    for (Index i = 0; i < count; ++i) {
      const double energy = z.col(first + i).template cast<double>().squaredNorm();
      pursuit.start(&correlations(0, i), energy);
      pursuit.extend(
          {.nonzeros = rule.most, .squared_error = rule.share_of(first + i) * energy, .chance = rule.chance});
      const std::vector<Scalar>& x = pursuit.coefficients();
      values.assign(x.begin(), x.end());
      block.append(pursuit.picked(), values);
      codes.squared_residual[first + i] = std::max(pursuit.squared_residual(), 0.0);
    }
  });
  return codes;
}

void refit(const Matrix<double>& y, const Matrix<double>& atoms, const Means& means, Codes* codes) {
  const coding::Products<double> products(atoms);
  means.for_each(static_cast<Index>(codes->blocks.size()), [&](Index b) {
    coding::CodeBlock& block = codes->blocks[static_cast<std::size_t>(b)];
    coding::SupportSolver solver(products);
    std::vector<double> correlations;
    for (Index i = 0; i < block.size(); ++i) {
      const Index sample = b * Codes::kBlock + i;
      const auto begin = static_cast<std::size_t>(block.begin[static_cast<std::size_t>(i)]);
      const auto end = static_cast<std::size_t>(block.begin[static_cast<std::size_t>(i) + 1]);
      const std::span<const Index> support(&block.atoms[begin], end - begin);
      correlations.resize(support.size());
      products_with_columns(atoms, support, &y(0, sample), correlations);
      const std::vector<double>& x = solver.solve(support, correlations);
      std::copy(x.begin(), x.end(), block.values.begin() + static_cast<std::ptrdiff_t>(begin));
      codes->squared_residual[sample] = residual(y, atoms, *codes, sample).squaredNorm();
    }
  });
}

template <typename Scalar>
Vector<Scalar> residual(const Matrix<Scalar>& z, const Matrix<Scalar>& atoms, const Codes& codes, Index sample) {
  const Codes::Place code = codes.of(sample);
  return z.col(sample) - sum_of_columns(atoms, code.atoms(), code.values()).template cast<Scalar>();
}

// M ← M·G⁻¹ for a symmetric G. False if it's singular.
bool multiply_by_inverse(const Matrix<double>& g, Matrix<double>* m) {
  const linalg::Cholesky<double> factor(g);
  if (factor.is_positive_definite()) {
    factor.solve_right(m);
  } else if (const std::optional<Matrix<double>> solution = linalg::solve(g, m->transpose())) {  // at rounding
    *m = solution->transpose();
  } else {
    return false;
  }
  return m->allFinite();
}

// Σwxxᵀ and Σwyxᵀ are summed atom by atom, over its samples in their order: the same bits for any number of threads.
template <typename Scalar>
Regression regress(const Matrix<Scalar>& y, const Codes& codes, const ByAtom& by_atom,
                   const std::optional<Vector<double>>& weights, const Matrix<double>& before, const Means& means) {
  const Index atoms = by_atom.atoms();
  Matrix<double> gram = Matrix<double>::Zero(atoms, atoms);
  Matrix<double> products(y.rows(), atoms);
  means.for_each(atoms, [&](Index j) {
    const std::span<const Index> samples = by_atom.samples_of(j);
    std::vector<double> values(samples.size());
    for (std::size_t e = 0; e < samples.size(); ++e) {
      values[e] = by_atom.values_of(j)[e] * (weights ? (*weights)[samples[e]] : 1);
      const Codes::Place code = codes.of(samples[e]);
      for (std::size_t other = code.begin; other < code.end; ++other) {
        gram(code.atom(other), j) += values[e] * code.value(other);
      }
    }
    products.col(j) = sum_of_columns(y, samples, values);
  });
  // Atoms without energy stay; a ridge at the level of rounding keeps dependent ones apart.
  constexpr double kRidge = std::is_same_v<Scalar, float> ? 1e-6 : 1e-13;
  const Vector<double> energy = gram.diagonal();
  const double mean = std::max(energy.mean(), 1e-300);
  Regression result{before, std::vector<bool>(static_cast<std::size_t>(atoms))};
  for (Index j = 0; j < atoms; ++j) {
    result.unused[j] = energy[j] <= kNoEnergy * energy.maxCoeff();
    gram(j, j) += kRidge * (result.unused[j] ? mean / kRidge : mean);
  }
  if (!multiply_by_inverse(gram, &products)) return result;
  for (Index j = 0; j < atoms; ++j) {
    const double norm = products.col(j).norm();
    if (!result.unused[j] && norm > 0) result.atoms.col(j) = products.col(j) / norm;
  }
  return result;
}

template Codes greedy_codes(const Matrix<float>&, const Matrix<float>&, const Rule&, const Means&);
template Codes greedy_codes(const Matrix<double>&, const Matrix<double>&, const Rule&, const Means&);
template Vector<float> residual(const Matrix<float>&, const Matrix<float>&, const Codes&, Index);
template Vector<double> residual(const Matrix<double>&, const Matrix<double>&, const Codes&, Index);
template Regression regress(const Matrix<float>&, const Codes&, const ByAtom&, const std::optional<Vector<double>>&,
                            const Matrix<double>&, const Means&);
template Regression regress(const Matrix<double>&, const Codes&, const ByAtom&, const std::optional<Vector<double>>&,
                            const Matrix<double>&, const Means&);

}  // namespace orthodict::solver::overcomplete
