// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <memory>
#include <string>
#include <tuple>
#include <variant>

#include "orthodict/samples.h"

namespace orthodict::python {

namespace nb = nanobind;

// Any array in memory that NumPy can describe, not copied.
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

// A sparse matrix in compressed rows, as SciPy has it: data, indices, indptr, and the number of columns.
using SparseArrays = std::tuple<AnyArray, AnyArray, AnyArray, Index>;
using AnySamples = std::variant<AnyArray, SparseArrays>;

// Views the rows of a matrix of any element type and strides, or of a sparse one, as samples. Copies nothing; the
// arrays must outlive the samples. `name` is for messages.
[[nodiscard]] std::unique_ptr<Samples> samples_of(const AnyArray& array, const std::string& name);
[[nodiscard]] std::unique_ptr<Samples> samples_of(const AnySamples& samples, const std::string& name);

}  // namespace orthodict::python
