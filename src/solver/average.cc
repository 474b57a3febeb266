// SPDX-License-Identifier: Apache-2.0
#include "solver/average.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "linalg/polar.h"
#include "orthodict/metrics.h"
#include "solver/confidence.h"

namespace orthodict::solver {
namespace {

// Atom i of one model and atom j of another, equal up to `sign`.
struct Pair {
  Index i;
  Index j;
  double sign;
};

// Pairs of atoms in the best assignment, restricted to pairs with a code of at least kMostly.
std::vector<Pair> same_atoms(const Model& one, const Model& other) {
  constexpr double kMostly = 0.7;
  const Matrix<double> codes =  // codes of the other's atoms, in columns
      linalg::multiply<double>(one.analysis, linalg::Op::kNone, other.dictionary, linalg::Op::kTranspose);
  const bool flip = codes.rows() > codes.cols();
  const std::vector<Index> matches =
      best_assignment(flip ? Matrix<double>(codes.transpose().cwiseAbs()) : Matrix<double>(codes.cwiseAbs()));
  std::vector<Pair> pairs;
  for (Index k = 0; k < static_cast<Index>(matches.size()); ++k) {
    const Index match = matches[static_cast<std::size_t>(k)];
    const Pair pair = flip ? Pair{match, k, 0} : Pair{k, match, 0};
    const double code = codes(pair.i, pair.j);
    if (std::abs(code) >= kMostly) pairs.push_back({pair.i, pair.j, code < 0 ? -1.0 : 1.0});
  }
  return pairs;
}

// cos² of the mean of two independent estimates: their signal-to-noise ratios, cos²/sin², add up. An estimate that
// doesn't establish the atom lowers the ratio by its share of the samples, because chance alone gives some confidence
// to both.
double joint_confidence(double one, double other, double share) {
  const auto ratio = [](double confidence) {
    return confidence < 1 ? confidence / (1 - confidence) : std::numeric_limits<double>::infinity();
  };
  const double sum = other >= kEstablished ? ratio(one) + ratio(other) : ratio(one) * (1 - share);
  return std::isinf(sum) ? 1 : sum / (1 + sum);
}

// Restores the constraints after averaging: orthonormal rows, or unit atoms and an analysis that is their inverse.
void restore(bool orthogonal, Model* model) {
  if (orthogonal) {
    model->dictionary = linalg::polar<double>(model->dictionary);
    model->analysis = model->dictionary;
    return;
  }
  model->dictionary.rowwise().normalize();
  const Matrix<double> product =
      linalg::multiply<double>(model->analysis, linalg::Op::kNone, model->dictionary, linalg::Op::kTranspose);
  if (const auto analysis = linalg::solve(product, model->analysis)) model->analysis = *analysis;
}

// Whether the atom is taken from one model alone: only that model establishes it, or only that model has it exactly.
bool is_settled_by(double one, double other) {
  return (one >= kEstablished && other < kEstablished) || (one == 1 && other < 1);
}

bool is_trusted_less(const Model& one, const Model& other) { return one.confidence.sum() < other.confidence.sum(); }

}  // namespace

Estimate average(const Estimate& one, const Estimate& other, bool orthogonal) {
  if (is_trusted_less(one.model, other.model)) return average(other, one, orthogonal);
  Estimate mean = one;
  mean.samples += other.samples;
  const double whole_share = other.samples / mean.samples;
  mean.model.mean += whole_share * (other.model.mean - one.model.mean);
  mean.model.metadata.clear();
  const bool judged = one.model.confidence.size() > 0;
  Vector<double> support = Vector<double>::Zero(judged ? one.model.atoms() : 0);  // the other model's confidence
  for (const auto& [i, j, sign] : same_atoms(one.model, other.model)) {
    if (judged) support[i] = other.model.confidence[j];
    if (judged && is_settled_by(one.model.confidence[i], support[i])) continue;
    mean.atom_samples[i] += other.atom_samples[j];
    const bool is_theirs = judged && is_settled_by(support[i], one.model.confidence[i]);
    const double share = is_theirs ? 1 : other.atom_samples[j] / mean.atom_samples[i];
    mean.model.dictionary.row(i) += share * (sign * other.model.dictionary.row(j) - one.model.dictionary.row(i));
    mean.model.analysis.row(i) += share * (sign * other.model.analysis.row(j) - one.model.analysis.row(i));
  }
  for (Index i = 0; i < support.size(); ++i) {
    mean.model.confidence[i] = joint_confidence(one.model.confidence[i], support[i], whole_share);
  }
  restore(orthogonal, &mean.model);
  return mean;
}

}  // namespace orthodict::solver
