// SPDX-License-Identifier: Apache-2.0
#include "background_work.h"
#include "bindings.h"
#include "orthodict/version.h"

NB_MODULE(_core, module) {
  module.doc() = "Bindings of the C++ library. The functions of the package check their arguments and document them.";
  nanobind::set_leak_warnings(false);  // a thread that is blocked at exit keeps its references
  module.attr("version") = ORTHODICT_VERSION;
  orthodict::python::bind_errors(module);
  orthodict::python::bind_model(module);
  orthodict::python::bind_fit(module);
  orthodict::python::bind_files(module);
  orthodict::python::bind_synthetic(module);
  orthodict::python::bind_metrics(module);
  orthodict::python::bind_denoise(module);
  orthodict::python::bind_command(module);
  nanobind::module_::import_("atexit").attr("register")(
      nanobind::cpp_function(&orthodict::python::BackgroundWork::stop_all));
}
