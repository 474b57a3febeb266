// SPDX-License-Identifier: Apache-2.0
#include "solver/canonical.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "linalg/blas.h"
#include "model/per_atom.h"

namespace orthodict::solver {
namespace {

// The first entry whose magnitude is the maximum, within rounding, so that ties are resolved the same way each time.
Index leading_entry(const Eigen::Ref<const Eigen::RowVectorXd>& atom) {
  constexpr double kTie = 1e-6;
  const double largest = atom.cwiseAbs().maxCoeff();
  Index i = 0;
  while (std::abs(atom[i]) < largest * (1 - kTie)) ++i;
  return i;
}

// Energies rounded to a billionth of the largest, so that rounding errors don't decide the order of atoms with equal
// energy.
std::vector<double> rounded_energies(const RowMatrix<double>& analysis, const Matrix<double>& second_moment) {
  const Matrix<double> rows = analysis;
  const Vector<double> energies = linalg::multiply(rows, second_moment).cwiseProduct(rows).rowwise().sum();
  const double unit = 1e-9 * energies.maxCoeff();
  std::vector<double> rounded(static_cast<std::size_t>(energies.size()));
  for (std::size_t i = 0; i < rounded.size(); ++i) rounded[i] = std::round(energies[static_cast<Index>(i)] / unit);
  return rounded;
}

}  // namespace

void make_signs_canonical(Model* model) {
  for (Index i = 0; i < model->atoms(); ++i) {
    if (model->dictionary(i, leading_entry(model->dictionary.row(i))) > 0) continue;
    model->dictionary.row(i) *= -1;
    if (model->analysis.size() > 0) model->analysis.row(i) *= -1;
  }
}

void make_canonical(const Matrix<double>& second_moment, Model* model) {
  const Index k = model->atoms();
  for (Index i = 0; i < k; ++i) {
    const double norm = model->dictionary.row(i).norm();
    model->dictionary.row(i) *= 1 / norm;
    model->analysis.row(i) *= norm;
  }
  make_signs_canonical(model);

  const std::vector<double> energies = rounded_energies(model->analysis, second_moment);
  const auto key = [&](Index i) {
    return std::tuple(-energies[static_cast<std::size_t>(i)], leading_entry(model->dictionary.row(i)));
  };
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  keep_atoms(order, model);
}

void keep_atoms(const std::vector<Index>& atoms, Model* model) {
  model->dictionary = RowMatrix<double>(model->dictionary(atoms, Eigen::all));
  model->analysis = RowMatrix<double>(model->analysis(atoms, Eigen::all));
  for (const PerAtom& of_atoms : kPerAtom) {
    Vector<double>& values = model->*of_atoms.values;
    if (values.size() > 0) values = Vector<double>(values(atoms));
  }
}

}  // namespace orthodict::solver
