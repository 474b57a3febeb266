// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orthodict::cli {

// The orthodict command: runs what the command line asks for and returns the exit code. Takes over the signals of the
// process.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace orthodict::cli
