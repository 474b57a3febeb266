// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/repair.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "coding/chance.h"
#include "linalg/blas.h"
#include "solver/overcomplete/constants.h"

namespace orthodict::solver::overcomplete {
namespace {

// The other atoms that samples of an atom have most often.
std::vector<Index> companions_of(const Codes& codes, const ByAtom& by_atom, Index atom) {
  std::vector<Index> counts(static_cast<std::size_t>(by_atom.atoms()), 0);
  for (Index e = by_atom.begin[atom]; e < by_atom.begin[atom + 1]; ++e) {
    const Codes::Place code = codes.of(by_atom.samples[e]);
    for (std::size_t other = code.begin; other < code.end; ++other) ++counts[code.atom(other)];
  }
  counts[static_cast<std::size_t>(atom)] = 0;
  const double least =
      std::max(static_cast<double>(kLeastShared), kLeastShareOfUses * static_cast<double>(by_atom.uses(atom)));
  std::vector<Index> found;
  for (Index i = 0; i < by_atom.atoms(); ++i) {
    if (static_cast<double>(counts[i]) >= least) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(), [&](Index a, Index b) { return counts[a] > counts[b]; });
  if (static_cast<Index>(found.size()) > kCompanions) found.resize(kCompanions);
  return found;
}

// −c, if the ratio of the two coefficients is the same in many samples.
std::optional<double> constant_ratio(const Codes& codes, const ByAtom& by_atom, Index atom, Index companion) {
  std::vector<double> ratios;
  for (Index e = by_atom.begin[atom]; e < by_atom.begin[atom + 1]; ++e) {
    const Codes::Place code = codes.of(by_atom.samples[e]);
    for (std::size_t other = code.begin; other < code.end; ++other) {
      if (code.atom(other) == companion && by_atom.values[e] != 0) {
        ratios.push_back(code.value(other) / by_atom.values[e]);
      }
    }
  }
  std::sort(ratios.begin(), ratios.end());
  for (const Sameness& same : kSame) {
    const auto part = static_cast<std::size_t>(
        std::max(kLeastShared, static_cast<Index>(same.share * static_cast<double>(by_atom.uses(atom)))));
    if (ratios.size() < part) continue;
    std::size_t densest = 0;
    for (std::size_t i = 0; i + part <= ratios.size(); ++i) {
      if (ratios[i + part - 1] - ratios[i] < ratios[densest + part - 1] - ratios[densest]) densest = i;
    }
    const double ratio = ratios[densest + part / 2];
    const double spread = ratios[densest + part - 1] - ratios[densest];
    const double range = ratios[ratios.size() * 3 / 4] - ratios[ratios.size() / 4];
    if (spread < same.to_ratio * std::abs(ratio) && spread <= same.to_all * range && std::abs(ratio) > kNoRatio) {
      return ratio;
    }
  }
  return std::nullopt;
}

// Companions with a constant ratio, and these ratios.
using Shears = std::vector<std::pair<Index, double>>;

Shears shears_of(const Codes& codes, const ByAtom& by_atom, Index atom) {
  Shears found;
  for (const Index companion : companions_of(codes, by_atom, atom)) {
    if (const auto ratio = constant_ratio(codes, by_atom, atom, companion)) found.emplace_back(companion, *ratio);
  }
  return found;
}

// Whether at most `most` of the candidates make up that atom, by greedy choice, each better than chance.
bool is_mixture(const Matrix<double>& atoms, Index atom, const std::vector<bool>& excluded, Index most,
                const std::vector<double>& chance) {
  Vector<double> rest = atoms.col(atom);
  std::vector<Vector<double>> basis;
  while (static_cast<Index>(basis.size()) < most) {
    Vector<double> cosines = atoms.transpose() * rest;
    for (Index j = 0; j < atoms.cols(); ++j) {
      if (j == atom || excluded[static_cast<std::size_t>(j)]) cosines[j] = 0;
    }
    Index best = 0;
    const double largest = cosines.cwiseAbs().maxCoeff(&best);
    if (largest * largest <= chance[basis.size()] * rest.squaredNorm()) return false;
    Vector<double> direction = atoms.col(best);
    for (int twice = 0; twice < 2; ++twice) {
      for (const Vector<double>& before : basis) direction -= before.dot(direction) * before;
    }
    basis.push_back(direction.normalized());
    rest -= basis.back().dot(rest) * basis.back();
    if (rest.squaredNorm() < kMadeUp) return true;
  }
  return false;
}

}  // namespace

std::vector<bool> mixtures(const Matrix<double>& atoms, const Vector<double>& energy, Index most,
                           const std::function<bool()>& ended) {
  const std::vector<double> chance = coding::chance_cosines(atoms.rows(), atoms.cols(), most, 1);
  std::vector<Index> order(static_cast<std::size_t>(atoms.cols()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return energy[a] < energy[b]; });
  std::vector<bool> found(order.size(), false);
  for (const Index j : order) {
    if (ended()) break;
    found[static_cast<std::size_t>(j)] = is_mixture(atoms, j, found, most, chance);
  }
  return found;
}

std::vector<bool> duplicates(const Matrix<double>& atoms, const Vector<double>& energy, double cosine) {
  const Matrix<double> cosines = linalg::multiply(atoms, linalg::Op::kTranspose, atoms, linalg::Op::kNone);
  std::vector<Index> order(static_cast<std::size_t>(atoms.cols()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return energy[a] > energy[b]; });
  std::vector<bool> drop(order.size(), false);
  for (std::size_t a = 0; a < order.size(); ++a) {
    if (drop[order[a]]) continue;
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      if (std::abs(cosines(order[a], order[b])) > cosine) drop[order[b]] = true;
    }
  }
  return drop;
}

std::vector<bool> turn_back(const Codes& codes, const ByAtom& by_atom, const Means& means, Matrix<double>* atoms) {
  const Index m = by_atom.atoms();
  std::vector<Shears> shears(static_cast<std::size_t>(m));
  means.for_each(m, [&](Index j) { shears[j] = shears_of(codes, by_atom, j); });
  // The atom that is used less is the one that is sheared: the other has its own samples. The companions of one atom
  // have a constant ratio to each other, too, in its samples.
  std::vector<Index> order;
  for (Index j = 0; j < m; ++j) {
    if (!shears[j].empty()) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return by_atom.uses(a) < by_atom.uses(b); });
  std::vector<bool> turned(static_cast<std::size_t>(m), false), is_companion(turned);
  for (const Index j : order) {
    if (is_companion[j]) continue;
    for (const auto& [companion, ratio] : shears[j]) {
      if (turned[companion]) continue;
      atoms->col(j) += ratio * atoms->col(companion);
      turned[j] = is_companion[companion] = true;
    }
    atoms->col(j).normalize();
  }
  return turned;
}

}  // namespace orthodict::solver::overcomplete
