// SPDX-License-Identifier: Apache-2.0
#include "solver/canonical.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <tuple>
#include <vector>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "model/per_atom.h"

namespace orthodict::solver {
namespace {

// The first entry whose magnitude is the maximum, within rounding, so that ties are resolved the same way each time. Of
// a complex atom, the place of its real part.
Index leading_entry(const Model& model, Index atom) {
  constexpr double kTie = 1e-6;
  const Eigen::RowVectorXd entries = model.dictionary.row(atom);
  const Index reals = linalg::reals(model.is_complex);
  const auto size = [&](Index i) {
    return model.is_complex ? std::hypot(entries[i], entries[i + 1]) : std::abs(entries[i]);
  };
  double largest = 0;
  for (Index i = 0; i < entries.size(); i += reals) largest = std::max(largest, size(i));
  Index i = 0;
  while (size(i) < largest * (1 - kTie)) i += reals;
  return i;
}

// Multiplies interleaved complex numbers.
void multiply(std::complex<double> factor, Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> interleaved) {
  for (Index i = 0; i < interleaved.size(); i += 2) {
    const std::complex<double> product = factor * std::complex<double>(interleaved[i], interleaved[i + 1]);
    interleaved[i] = product.real();
    interleaved[i + 1] = product.imag();
  }
}

void make_phase_canonical(Index atom, Model* model) {
  const Index leading = leading_entry(*model, atom);
  auto row = model->dictionary.row(atom);
  const std::complex<double> entry(row[leading], row[leading + 1]);
  const std::complex<double> phase = entry / std::abs(entry);
  multiply(std::conj(phase), row);
  row[leading + 1] = 0;
  if (model->analysis.size() > 0) multiply(phase, model->analysis.row(atom));
}

// Energies rounded to a billionth of the largest, so that rounding errors don't decide the order of atoms with equal
// energy.
std::vector<double> rounded_energies(const Model& model, const Matrix<double>& second_moment) {
  const Vector<double> energies = energies_of(model, second_moment);
  const double unit = 1e-9 * energies.maxCoeff();
  std::vector<double> rounded(static_cast<std::size_t>(energies.size()));
  for (std::size_t i = 0; i < rounded.size(); ++i) rounded[i] = std::round(energies[static_cast<Index>(i)] / unit);
  return rounded;
}

}  // namespace

Vector<double> energies_of(const Model& model, const Matrix<double>& second_moment) {
  const Matrix<double> rows = model.is_complex ? linalg::conjugate(model.analysis) : model.analysis;
  return linalg::multiply(rows, second_moment).cwiseProduct(rows).rowwise().sum();
}

RowMatrix<double> analysis_of_orthogonal(const Model& model) {
  return model.is_complex ? linalg::conjugate(model.dictionary) : model.dictionary;
}

void make_signs_canonical(Model* model) {
  for (Index i = 0; i < model->atoms(); ++i) {
    if (model->is_complex) {
      make_phase_canonical(i, model);
      continue;
    }
    if (model->dictionary(i, leading_entry(*model, i)) > 0) continue;
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

  const std::vector<double> energies = rounded_energies(*model, second_moment);
  const auto key = [&](Index i) {
    return std::tuple(-energies[static_cast<std::size_t>(i)], leading_entry(*model, i));
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
