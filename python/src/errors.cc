// SPDX-License-Identifier: Apache-2.0
// The one place where faults become Python's exceptions.
#include <exception>

#include "bindings.h"
#include "orthodict/error.h"

namespace orthodict::python {
namespace {

void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    PyErr_SetString(error.fault() == Fault::kStopped ? PyExc_KeyboardInterrupt : PyExc_ValueError, error.what());
  }
}

}  // namespace

void bind_errors(nanobind::module_& /*module*/) { nanobind::register_exception_translator(translate); }

}  // namespace orthodict::python
