// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace orthodict::cli {

// Ctrl-C (SIGINT), SIGTERM, SIGXCPU and, unless it is ignored, SIGHUP end the process at once, with the exit code of an
// interrupt.
void end_on_interrupt();

// From here on they request a stop, so that work can end in order; a second one ends the process at once. To be called
// when the input is read and the work begins.
void stop_on_interrupt();

// A file that would grow beyond `ulimit -f` is an error when it is written, rather than the end of the process.
void ignore_file_size_signal();

[[nodiscard]] std::stop_token stop_token();
[[nodiscard]] bool interrupted();

}  // namespace orthodict::cli
