// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "orthodict/samples.h"

namespace orthodict::python {

namespace nb = nanobind;

// Any array in memory that NumPy can describe, not copied.
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

// Views the rows of a matrix of any element type and strides as samples. Copies nothing; the array must outlive the
// samples. `name` is for messages.
[[nodiscard]] std::unique_ptr<Samples> samples_of(const AnyArray& array, const std::string& name);

}  // namespace orthodict::python
