// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>

#include "orthodict/samples.h"

namespace orthodict::python {

namespace nb = nanobind;

// Any array in memory that NumPy can describe, read in place.
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

// The rows of a matrix as samples, whatever its element type and strides; nothing is copied, and the array must outlive
// them. Messages call it `name`.
[[nodiscard]] std::unique_ptr<Samples> samples_of(const AnyArray& array, const std::string& name);

}  // namespace orthodict::python
