// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "engine/workers.h"
#include "linalg/blas.h"
#include "orthodict/model.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::coding {

inline constexpr Index kBlock = 256;  // rows per task
inline constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max();

// Throws Error, naming `name`, unless there are `expected` columns.
void check_columns(const std::string& name, Index columns, Index expected, const std::string& what);

// Throws Error unless the rows [first, first + count) exist and have `expected` columns.
void check_request(const Samples& samples, Index first, Index count, Index expected, const std::string& what);
// The same for samples or codes of a model: `what` says how many columns that has, "features" or "atoms". Both are
// complex, or neither.
void check_request(const Samples& samples, Index first, Index count, const Model& model, const std::string& what);

// Analysis and dictionary of a complex model in real form, as they act on interleaved real and imaginary parts.
[[nodiscard]] RowMatrix<double> real_analysis(const Model& model);
[[nodiscard]] RowMatrix<double> real_dictionary(const Model& model);

// Throws Error naming the first row of `values` that isn't finite; row 0 is that of sample `first`.
void check_finite(const std::string& name, Index first, const RowMatrix<double>& values);

// The samples [first, first + count) minus `shift`, in columns; an empty shift is zero.
[[nodiscard]] Matrix<double> read_columns(const Samples& samples, Index first, Index count,
                                          const Vector<double>& shift);

// Rows y·matrixᵀ (kTranspose) or y·matrix (kNone) of the columns y of `samples`.
[[nodiscard]] RowMatrix<double> apply(const RowMatrix<double>& matrix, linalg::Op op, const Matrix<double>& samples);

// Calls work(first, count) for all blocks of `rows` rows, on all threads of the team.
void for_each_block(Index rows, engine::Workers& workers, const std::function<void(Index, Index)>& work);

}  // namespace orthodict::coding
