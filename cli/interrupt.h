// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace orthodict::cli {

// From here on Ctrl-C (SIGINT) and SIGTERM request a stop, so that work can end in order; a second one ends the process
// at once. Call before any thread is started.
void watch_for_interrupts();

[[nodiscard]] std::stop_token stop_token();
[[nodiscard]] bool interrupted();

}  // namespace orthodict::cli
