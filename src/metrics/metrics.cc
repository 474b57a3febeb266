// SPDX-License-Identifier: Apache-2.0
#include "orthodict/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "orthodict/error.h"

namespace orthodict {
namespace {

// stableNorm() also handles rows whose squares overflow.
Matrix<double> normalized_rows(const RowMatrix<double>& matrix) {
  Matrix<double> rows = matrix;
  for (Index i = 0; i < rows.rows(); ++i) rows.row(i) /= rows.row(i).stableNorm();
  return rows;
}

// For each row of the scores a column, and whether it is that row's own.
struct Matches {
  std::vector<Index> columns;
  std::vector<bool> assigned;
};

Matches match(const Matrix<double>& scores) {
  const auto rows = static_cast<std::size_t>(scores.rows());
  if (scores.rows() <= scores.cols()) return {best_assignment(scores), std::vector<bool>(rows, true)};
  Matches matches{std::vector<Index>(rows), std::vector<bool>(rows, false)};
  for (Index i = 0; i < scores.rows(); ++i) scores.row(i).maxCoeff(&matches.columns[static_cast<std::size_t>(i)]);
  const std::vector<Index> row_of = best_assignment(scores.transpose());
  for (std::size_t j = 0; j < row_of.size(); ++j) {
    matches.columns[static_cast<std::size_t>(row_of[j])] = static_cast<Index>(j);
    matches.assigned[static_cast<std::size_t>(row_of[j])] = true;
  }
  return matches;
}

// A·Bᵀ, or Ā·Bᵀ of complex rows, with real and imaginary parts in neighbouring rows.
Matrix<double> products_of_rows(const RowMatrix<double>& a, const RowMatrix<double>& b, bool is_complex) {
  return is_complex ? linalg::products_of_rows(a, b)
                    : linalg::multiply<double>(a, linalg::Op::kNone, b, linalg::Op::kTranspose);
}

// ½‖b − phase·a‖² of interleaved complex vectors.
template <typename A, typename B>
double half_square(const A& a, const B& b, std::complex<double> phase) {
  double sum = 0;
  for (Index k = 0; k + 1 < a.size(); k += 2) {
    sum += std::norm(std::complex<double>(b[k], b[k + 1]) - phase * std::complex<double>(a[k], a[k + 1]));
  }
  return sum / 2;
}

std::complex<double> aligning_phase(std::complex<double> product) {
  const double size = std::abs(product);
  return size > 0 ? product / size : 1;
}

}  // namespace

Index atoms_needed(const Model& model) { return model.is_overcomplete() ? 1 : model.atoms(); }

void validate_truth(const RowMatrix<double>& truth, Index atoms, Index dimension, const std::string& name) {
  if (truth.cols() != dimension || truth.rows() < atoms) {
    throw data_error(name, fmt::format("is {}×{}; legal: at least {} rows (atoms) of {} entries", truth.rows(),
                                       truth.cols(), atoms, dimension));
  }
  for (Index i = 0; i < truth.rows(); ++i) {
    const double norm = truth.row(i).stableNorm();
    if (!(norm > 0 && std::isfinite(norm))) throw data_error(name, fmt::format("atom {} is zero or not finite", i));
  }
}

double recovery_error(const Matrix<double>& w) {
  const Matrix<double> unit_rows = w.rowwise().normalized();
  return std::abs(1 - unit_rows.array().square().square().sum() / static_cast<double>(w.rows()));
}

Recovery compare(const Model& model, const RowMatrix<double>& truth) {
  model.require_shapes("model");
  validate_truth(truth, 1, model.dimension(), "truth");
  const Matrix<double> true_atoms = normalized_rows(truth);
  const Matrix<double> atoms = normalized_rows(model.dictionary);
  const Matrix<double> cosines = products_of_rows(atoms, true_atoms, model.is_complex);
  const Matrix<double> sizes = model.is_complex ? linalg::moduli(cosines) : Matrix<double>(cosines.cwiseAbs());

  const Matches matches = match(sizes);
  Recovery recovery;
  recovery.matches = matches.columns;
  recovery.worst_cosine = 1;
  double missing = 0;  // Σ 1 − cos⁴
  for (Index i = 0; i < model.atoms(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    recovery.cosines.push_back(std::min(sizes(i, matches.columns[at]), 1.0));
    const Index column = matches.columns[at];
    double distance = 0;  // ½‖d̂ ∓ d‖² = 1 − |cos| without cancellation: it resolves 1e-30
    if (model.is_complex) {
      recovery.phases.push_back(aligning_phase({cosines(2 * i, column), cosines(2 * i + 1, column)}));
      distance = half_square(atoms.row(i), true_atoms.row(column), recovery.phases.back());
    } else {
      recovery.signs.push_back(cosines(i, column) < 0 ? -1 : 1);
      distance = (recovery.signs.back() * atoms.row(i) - true_atoms.row(column)).squaredNorm() / 2;
    }
    if (!matches.assigned[at]) continue;
    constexpr double kHit = 0.99;
    recovery.hits += recovery.cosines[at] > kHit;
    recovery.worst_cosine = std::min(recovery.worst_cosine, recovery.cosines[at]);
    recovery.mean_cosine += recovery.cosines[at];
    missing += distance * (2 - distance) * (1 + (1 - distance) * (1 - distance));
  }
  const auto assigned = static_cast<double>(std::min(model.atoms(), truth.rows()));
  recovery.mean_cosine /= assigned;
  if (model.analysis.size() > 0 && truth.rows() >= model.atoms()) {
    const RowMatrix<double> analysis = model.is_complex ? linalg::conjugate(model.analysis) : model.analysis;
    const Matrix<double> products = products_of_rows(analysis, true_atoms, model.is_complex);
    recovery.error = recovery_error(model.is_complex ? linalg::moduli(products) : products);
  } else {
    recovery.error = missing / assigned;
  }
  return recovery;
}

// The Hungarian method by shortest augmenting paths with potentials, O(rows²·columns). Inside, rows and columns are
// counted from 1; column 0 is the root of each search.
std::vector<Index> best_assignment(const Matrix<double>& score) {
  const Index rows = score.rows();
  const Index columns = score.cols();
  if (rows > columns) {
    throw Error(Fault::kOption, fmt::format("best_assignment: {} rows, but only {} columns", rows, columns));
  }
  if (!score.allFinite()) throw Error(Fault::kOption, "best_assignment: some scores aren't finite");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> row_potential(rows + 1, 0), column_potential(columns + 1, 0);
  std::vector<Index> row_of(columns + 1, 0), previous(columns + 1, 0);
  for (Index row = 1; row <= rows; ++row) {
    std::vector<double> distance(columns + 1, kInfinity);
    std::vector<bool> reached(columns + 1, false);
    Index column = 0;
    row_of[0] = row;
    do {
      reached[column] = true;
      const Index from = row_of[column];
      double shortest = kInfinity;
      Index nearest = 0;
      for (Index c = 1; c <= columns; ++c) {
        if (reached[c]) continue;
        const double reduced = -score(from - 1, c - 1) - row_potential[from] - column_potential[c];
        if (reduced < distance[c]) {
          distance[c] = reduced;
          previous[c] = column;
        }
        if (distance[c] < shortest) {
          shortest = distance[c];
          nearest = c;
        }
      }
      for (Index c = 0; c <= columns; ++c) {
        if (reached[c]) {
          row_potential[row_of[c]] += shortest;
          column_potential[c] -= shortest;
        } else {
          distance[c] -= shortest;
        }
      }
      column = nearest;
    } while (row_of[column] != 0);
    for (; column != 0; column = previous[column]) row_of[column] = row_of[previous[column]];
  }
  std::vector<Index> assignment(static_cast<std::size_t>(rows));
  for (Index c = 1; c <= columns; ++c) {
    if (row_of[c] != 0) assignment[static_cast<std::size_t>(row_of[c] - 1)] = c - 1;
  }
  return assignment;
}

double normalized_objective(double l4_objective, Index dimension, Index samples, double theta, bool is_complex) {
  const double kurtosis = is_complex ? 2 : 3;  // of normal coefficients
  return l4_objective / (kurtosis * static_cast<double>(dimension) * static_cast<double>(samples) * theta);
}

}  // namespace orthodict
