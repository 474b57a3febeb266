// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "coding/constants.h"
#include "engine/workers.h"
#include "linalg/blas.h"
#include "orthodict/export.h"
#include "orthodict/model.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::coding {

inline constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max();

// Throws Error, naming `name`, unless there are `expected` columns.
void check_columns(const std::string& name, Index columns, Index expected, const std::string& what);

// Throws Error unless the rows [first, first + count) exist and have `expected` columns.
void check_request(const Samples& samples, Index first, Index count, Index expected, const std::string& what);
// The same for samples or codes of a model: `what` says how many columns that has, "features" or "atoms". Both are
// complex, or neither.
ORTHODICT_EXPORT void check_request(const Samples& samples, Index first, Index count, const Model& model,
                                    const std::string& what);

// Analysis and dictionary of a complex model in real form, as they act on interleaved real and imaginary parts.
[[nodiscard]] RowMatrix<double> real_analysis(const Model& model);
[[nodiscard]] RowMatrix<double> real_dictionary(const Model& model);

// Throws Error naming the first of these rows, of `columns` values each, that isn't finite; row 0 is that of sample
// `first`.
void check_finite(const std::string& name, Index first, const double* values, Index rows, Index columns);

// The samples [first, first + count) minus `shift`, in columns; an empty shift is zero.
[[nodiscard]] Matrix<double> read_columns(const Samples& samples, Index first, Index count,
                                          const Vector<double>& shift);

// What a thread needs for a block; kept from one block to the next.
struct Scratch {
  Vector<double> samples;
  Vector<double> products;
};

// Rows y·matrixᵀ (kTranspose) or y·matrix (kNone) of the samples y = [first, first + count) minus `shift`, one after
// the other in `results`. Throws Error naming the first sample for which they aren't finite. An empty shift is zero.
void multiply_rows(const Samples& samples, Index first, Index count, const Vector<double>& shift,
                   const RowMatrix<double>& matrix, linalg::Op op, double* results, Scratch* scratch);

// Adds the model's mean to samples that lie one after the other.
void add_mean(const Model& model, Index count, double* samples);

// The threads that are worth having for so many rows.
[[nodiscard]] int threads_for(Index rows, std::optional<int> asked);

// Calls work(first, count, scratch) for all blocks of `rows` rows, on all threads of the team.
void for_each_block(Index rows, engine::Workers& workers,
                    const std::function<void(Index first, Index count, Scratch* scratch)>& work);

}  // namespace orthodict::coding
