// SPDX-License-Identifier: Apache-2.0
// Complex numbers as pairs of real ones. The solver computes with real matrices only; those of complex problems are in
// real form, which has a block [a −b; b a] for each entry a + bi. Sums, products, conjugate transposes, inverses and
// polar factors of real forms are the real forms of those of the complex matrices. Vectors interleave real and
// imaginary parts, as arrays of std::complex do.
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::linalg {

// Real numbers in a number.
[[nodiscard]] inline Index reals(bool is_complex) { return is_complex ? 2 : 1; }

// The real form of Σ a·bᴴ, from the matrix Σ a·bᵀ of real vectors that interleave complex ones.
[[nodiscard]] Matrix<double> complex_products(const Matrix<double>& real_products);
// a·bᵀ, or the real form of a·bᴴ.
[[nodiscard]] Matrix<double> outer(const Vector<double>& a, const Vector<double>& b, bool is_complex);

// The real form that is nearest to a matrix: the mean of what commutes with i.
[[nodiscard]] Matrix<double> nearest_real_form(const Matrix<double>& m);

// k rows of n interleaved complex numbers ↔ 2k rows: v and iv for each row v. This is the real form of the conjugate.
[[nodiscard]] RowMatrix<double> with_multiples_by_i(const RowMatrix<double>& rows);
[[nodiscard]] RowMatrix<double> without_multiples_by_i(const RowMatrix<double>& rows);
[[nodiscard]] RowMatrix<double> conjugate(const RowMatrix<double>& interleaved);

// Σ_k ā_k·b_k for all rows a of A and b of B, with real and imaginary parts in neighbouring rows.
[[nodiscard]] Matrix<double> products_of_rows(const RowMatrix<double>& a, const RowMatrix<double>& b);

// Moduli of the complex numbers that the columns interleave; of a real form, those of its first and every other column.
[[nodiscard]] Matrix<double> moduli(const Matrix<double>& interleaved);
[[nodiscard]] Matrix<double> moduli_of_real_form(const Matrix<double>& m);

// Multiplies the complex rows i of a real form, its rows 2i and 2i + 1, by re + im·i.
void multiply_row(Index i, double re, double im, Matrix<double>* m);

// Entries of complex atoms, each twice for the two rows of a real form; and the other way round.
[[nodiscard]] Vector<double> twice_each(const Vector<double>& values);
[[nodiscard]] Vector<double> one_of_two(const Vector<double>& values);
[[nodiscard]] std::vector<Index> both_rows(const std::vector<Index>& atoms);

}  // namespace orthodict::linalg
