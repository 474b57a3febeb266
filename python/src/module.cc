// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "conductor.h"
#include "orthodict/version.h"

NB_MODULE(_core, module) {
  module.doc() = "The C++ library. The functions of the package check and describe what goes through here.";
  nanobind::set_leak_warnings(false);  // a thread that the interpreter's end found at work keeps what it had
  module.attr("version") = ORTHODICT_VERSION;
  orthodict::python::bind_errors(module);
  orthodict::python::bind_model(module);
  orthodict::python::bind_fit(module);
  orthodict::python::bind_files(module);
  orthodict::python::bind_synthetic(module);
  orthodict::python::bind_metrics(module);
  orthodict::python::bind_denoise(module);
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(&orthodict::python::Conductor::end_all));
}
