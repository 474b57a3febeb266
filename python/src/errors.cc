// SPDX-License-Identifier: Apache-2.0
// Translates C++ exceptions to Python's.
#include <exception>

#include "bindings.h"
#include "orthodict/error.h"

namespace orthodict::python {
namespace {

// `data_error` is the class for Fault::kData: a subclass of ValueError that the package can distinguish.
void translate(const std::exception_ptr& pointer, void* data_error) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    PyErr_SetString(error.fault() == Fault::kData ? static_cast<PyObject*>(data_error) : PyExc_ValueError,
                    error.what());
  }
}

}  // namespace

void bind_errors(nanobind::module_& module) {
  PyObject* data_error = PyErr_NewException("orthodict._core.DataError", PyExc_ValueError, nullptr);
  if (data_error == nullptr) throw nanobind::python_error();
  module.attr("DataError") = nanobind::handle(data_error);  // keeps a reference as long as the module lives
  nanobind::register_exception_translator(translate, data_error);
  Py_DECREF(data_error);
}

}  // namespace orthodict::python
