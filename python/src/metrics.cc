// SPDX-License-Identifier: Apache-2.0
#include "orthodict/metrics.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace orthodict::python {

namespace nb = nanobind;
using namespace nanobind::literals;

void bind_metrics(nb::module_& module) {
  nb::class_<Recovery>(module, "Recovery")
      .def_ro("error", &Recovery::error)
      .def_ro("worst_cosine", &Recovery::worst_cosine)
      .def_ro("mean_cosine", &Recovery::mean_cosine)
      .def_ro("cosines", &Recovery::cosines)
      .def_ro("matches", &Recovery::matches)
      .def_ro("signs", &Recovery::signs)
      .def_ro("phases", &Recovery::phases)
      .def_ro("hits", &Recovery::hits);
  module.def("compare", &compare, "model"_a, "truth"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace orthodict::python
