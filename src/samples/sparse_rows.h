// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "orthodict/array.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::samples {

// A compressed-sparse-row matrix in memory that someone else owns: row r has the entries starts[r] … starts[r + 1] − 1,
// each with a column and a value. Entries of a row may be in any order, and those of the same column are added, as in
// SciPy.
struct SparseRows {
  Index rows = 0;
  Index columns = 0;
  Index entries = 0;
  ElementType index_type = ElementType::kI64;  // of starts and indices: kI32 or kI64
  const void* starts = nullptr;
  const void* indices = nullptr;
  ElementType value_type = ElementType::kF64;  // kF32 or kF64
  const void* values = nullptr;
};

// The rows as samples, of which one block at a time is made dense. `owner`, which may be null, keeps the memory alive.
// Throws Error, naming the matrix, if its parts are inconsistent.
[[nodiscard]] std::unique_ptr<Samples> view_sparse_rows(const SparseRows& matrix, const std::string& name,
                                                        std::shared_ptr<const void> owner = nullptr);

}  // namespace orthodict::samples
