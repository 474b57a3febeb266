// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace orthodict::cli {

// Makes Ctrl-C (SIGINT), SIGTERM, SIGXCPU and, unless it is ignored, SIGHUP end the process at once, with the exit code
// of an interrupt.
void end_on_interrupt();

// Makes these signals request a stop, so that work can end in order; a second one ends the process at once. Called when
// the input has been read and work begins.
void stop_on_interrupt();

// Ignores SIGXFSZ, so that exceeding `ulimit -f` is a write error and doesn't kill the process.
void ignore_file_size_signal();

[[nodiscard]] std::stop_token stop_token();
[[nodiscard]] bool interrupted();

}  // namespace orthodict::cli
