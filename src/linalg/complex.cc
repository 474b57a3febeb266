// SPDX-License-Identifier: Apache-2.0
#include "linalg/complex.h"

#include <cmath>

#include "linalg/blas.h"

namespace orthodict::linalg {
namespace {

// Calls make() with the two entries of each block that a, and then b, is made of.
template <typename Make>
Matrix<double> real_form(const Matrix<double>& m, const Make& make) {
  Matrix<double> result(m.rows(), m.cols());
  for (Index j = 0; j < m.cols(); j += 2) {
    for (Index i = 0; i < m.rows(); i += 2) {
      const double re = make(m(i, j), m(i + 1, j + 1));
      const double im = make(m(i + 1, j), -m(i, j + 1));
      result(i, j) = result(i + 1, j + 1) = re;
      result(i + 1, j) = im;
      result(i, j + 1) = -im;
    }
  }
  return result;
}

Matrix<double> every_other_column(const Matrix<double>& m) {
  return Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(m.data(), m.rows(), m.cols() / 2,
                                                                   Eigen::OuterStride<>(2 * m.rows()));
}

}  // namespace

Matrix<double> complex_products(const Matrix<double>& real_products) {
  return real_form(real_products, [](double one, double other) { return one + other; });
}

Matrix<double> outer(const Vector<double>& a, const Vector<double>& b, bool is_complex) {
  const Matrix<double> product = a * b.transpose();
  return is_complex ? complex_products(product) : product;
}

Matrix<double> nearest_real_form(const Matrix<double>& m) {
  return real_form(m, [](double one, double other) { return (one + other) / 2; });
}

RowMatrix<double> with_multiples_by_i(const RowMatrix<double>& rows) {
  RowMatrix<double> result(2 * rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    result.row(2 * i) = rows.row(i);
    for (Index j = 0; j < rows.cols(); j += 2) {
      result(2 * i + 1, j) = -rows(i, j + 1);
      result(2 * i + 1, j + 1) = rows(i, j);
    }
  }
  return result;
}

RowMatrix<double> without_multiples_by_i(const RowMatrix<double>& rows) {
  return Eigen::Map<const RowMatrix<double>, 0, Eigen::OuterStride<>>(rows.data(), rows.rows() / 2, rows.cols(),
                                                                      Eigen::OuterStride<>(2 * rows.cols()));
}

RowMatrix<double> conjugate(const RowMatrix<double>& interleaved) {
  RowMatrix<double> result = interleaved;
  for (Index j = 1; j < result.cols(); j += 2) result.col(j) *= -1;
  return result;
}

// They are the real products of a and ia with b.
Matrix<double> products_of_rows(const RowMatrix<double>& a, const RowMatrix<double>& b) {
  return multiply<double>(with_multiples_by_i(a), Op::kNone, b, Op::kTranspose);
}

Matrix<double> moduli(const Matrix<double>& interleaved) {
  Matrix<double> result(interleaved.rows() / 2, interleaved.cols());
  const double* z = interleaved.data();
  for (Index i = 0; i < result.size(); ++i, z += 2) result.data()[i] = std::sqrt(z[0] * z[0] + z[1] * z[1]);
  return result;
}

Matrix<double> moduli_of_real_form(const Matrix<double>& m) { return moduli(every_other_column(m)); }

void multiply_row(Index i, double re, double im, Matrix<double>* m) {
  const Eigen::RowVectorXd first = m->row(2 * i);
  m->row(2 * i) = re * first - im * m->row(2 * i + 1);
  m->row(2 * i + 1) = im * first + re * m->row(2 * i + 1);
}

Vector<double> twice_each(const Vector<double>& values) {
  Vector<double> result(2 * values.size());
  for (Index i = 0; i < values.size(); ++i) result[2 * i] = result[2 * i + 1] = values[i];
  return result;
}

Vector<double> one_of_two(const Vector<double>& values) {
  return Eigen::Map<const Vector<double>, 0, Eigen::InnerStride<2>>(values.data(), values.size() / 2);
}

std::vector<Index> both_rows(const std::vector<Index>& atoms) {
  std::vector<Index> rows;
  for (const Index atom : atoms) rows.insert(rows.end(), {2 * atom, 2 * atom + 1});
  return rows;
}

}  // namespace orthodict::linalg
