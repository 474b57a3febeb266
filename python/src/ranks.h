// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "orthodict/ranks.h"

namespace orthodict::python {

// Ranks that communicate by an orthodict._ranks.Communicator; null for None. Its exchange() is called from the
// background thread, with the GIL.
[[nodiscard]] std::shared_ptr<Ranks> ranks_of(const nanobind::object& communicator);

}  // namespace orthodict::python
