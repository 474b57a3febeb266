// SPDX-License-Identifier: Apache-2.0
// The parts of the extension module orthodict._core. Each function adds one of them.
#pragma once

#include <nanobind/nanobind.h>

namespace orthodict::python {

void bind_errors(nanobind::module_& module);
void bind_fit(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_files(nanobind::module_& module);
void bind_synthetic(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);
void bind_command(nanobind::module_& module);
void bind_denoise(nanobind::module_& module);

}  // namespace orthodict::python
