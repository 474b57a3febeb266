// SPDX-License-Identifier: Apache-2.0
#include "solver/average.h"

#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "linalg/lapack.h"
#include "linalg/polar.h"
#include "orthodict/metrics.h"
#include "solver/canonical.h"
#include "solver/confidence.h"

namespace orthodict::solver {
namespace {

// Atom i of one model and atom j of another, equal up to `turn`: a sign, or a complex number of modulus 1.
struct Pair {
  Index i;
  Index j;
  std::complex<double> turn;
};

// Of other's atoms (in columns) in one's analysis; complex ones with their real and imaginary parts in two rows.
Matrix<double> codes_of_atoms(const Model& one, const Model& other) {
  if (one.is_complex) return linalg::products_of_rows(linalg::conjugate(one.analysis), other.dictionary);
  return linalg::multiply<double>(one.analysis, linalg::Op::kNone, other.dictionary, linalg::Op::kTranspose);
}

// A row times a sign, or interleaved complex numbers times one of modulus 1.
Eigen::RowVectorXd turned(const Eigen::RowVectorXd& row, std::complex<double> turn, bool is_complex) {
  if (!is_complex) return turn.real() * row;
  Eigen::RowVectorXd result(row.size());
  for (Index i = 0; i < row.size(); i += 2) {
    const std::complex<double> entry = turn * std::complex<double>(row[i], row[i + 1]);
    result[i] = entry.real();
    result[i + 1] = entry.imag();
  }
  return result;
}

// Pairs of atoms in the best assignment, restricted to pairs with a code of at least kMostly.
std::vector<Pair> same_atoms(const Model& one, const Model& other) {
  constexpr double kMostly = 0.7;
  const Matrix<double> codes = codes_of_atoms(one, other);
  const Matrix<double> sizes = one.is_complex ? linalg::moduli(codes) : Matrix<double>(codes.cwiseAbs());
  const bool flip = sizes.rows() > sizes.cols();
  const std::vector<Index> matches = best_assignment(flip ? Matrix<double>(sizes.transpose()) : sizes);
  std::vector<Pair> pairs;
  for (Index k = 0; k < static_cast<Index>(matches.size()); ++k) {
    const Index match = matches[static_cast<std::size_t>(k)];
    const Pair pair = flip ? Pair{match, k, 0} : Pair{k, match, 0};
    const double size = sizes(pair.i, pair.j);
    if (size < kMostly) continue;
    if (one.is_complex) {
      const std::complex<double> code(codes(2 * pair.i, pair.j), codes(2 * pair.i + 1, pair.j));
      pairs.push_back({pair.i, pair.j, std::conj(code) / size});
    } else {
      pairs.push_back({pair.i, pair.j, codes(pair.i, pair.j) < 0 ? -1.0 : 1.0});
    }
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

void restore_complex_analysis(Model* model) {
  const Matrix<double> analysis = linalg::with_multiples_by_i(linalg::conjugate(model->analysis));
  const Matrix<double> dictionary = linalg::with_multiples_by_i(model->dictionary);
  const Matrix<double> product = linalg::multiply(analysis, linalg::Op::kNone, dictionary, linalg::Op::kTranspose);
  if (const auto inverse = linalg::solve(product, analysis)) {
    model->analysis = linalg::conjugate(linalg::without_multiples_by_i(*inverse));
  }
}

// Restores the constraints after averaging: orthonormal rows, or unit atoms and an analysis that is their inverse.
void restore(bool orthogonal, Model* model) {
  if (orthogonal) {
    model->dictionary =
        model->is_complex
            ? linalg::without_multiples_by_i(linalg::polar<double>(linalg::with_multiples_by_i(model->dictionary)))
            : RowMatrix<double>(linalg::polar<double>(model->dictionary));
    model->analysis = analysis_of_orthogonal(*model);
    return;
  }
  model->dictionary.rowwise().normalize();
  if (model->is_complex) return restore_complex_analysis(model);
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
  const bool is_complex = one.model.is_complex;
  for (const auto& [i, j, turn] : same_atoms(one.model, other.model)) {
    if (judged) support[i] = other.model.confidence[j];
    if (judged && is_settled_by(one.model.confidence[i], support[i])) continue;
    mean.atom_samples[i] += other.atom_samples[j];
    const bool is_theirs = judged && is_settled_by(support[i], one.model.confidence[i]);
    const double share = is_theirs ? 1 : other.atom_samples[j] / mean.atom_samples[i];
    mean.model.dictionary.row(i) +=
        share * (turned(other.model.dictionary.row(j), turn, is_complex) - one.model.dictionary.row(i));
    mean.model.analysis.row(i) +=
        share * (turned(other.model.analysis.row(j), std::conj(turn), is_complex) - one.model.analysis.row(i));
  }
  for (Index i = 0; i < support.size(); ++i) {
    mean.model.confidence[i] = joint_confidence(one.model.confidence[i], support[i], whole_share);
  }
  restore(orthogonal, &mean.model);
  return mean;
}

}  // namespace orthodict::solver
