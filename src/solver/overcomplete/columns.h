// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "orthodict/types.h"

namespace orthodict::solver::overcomplete {

// Σ values[e]·m.col(columns[e]), in double precision.
template <typename Scalar>
[[nodiscard]] Vector<double> sum_of_columns(const Matrix<Scalar>& m, std::span<const Index> columns,
                                            std::span<const double> values);

// products[e] = m.col(columns[e])ᵀx; x has as many entries as m has rows.
void products_with_columns(const Matrix<double>& m, std::span<const Index> columns, const double* x,
                           std::span<double> products);

}  // namespace orthodict::solver::overcomplete
