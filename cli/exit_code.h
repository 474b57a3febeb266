// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace orthodict::cli {

// Exit codes of the process.
enum ExitCode { kDone = 0, kBadUsage = 2, kBadData = 3, kNotConverged = 4, kInterrupted = 130 };

// Prints "program: message" to standard error, once if several ranks fail together, and returns `code`. If one rank
// fails alone, ends the whole job.
int complain(const std::string& program, const std::string& message, int code);

// Runs `work`, which returns an exit code, and checks that all of standard output was written. This is the only place
// where errors become exit codes.
int run_with_exit_code(const std::string& program, const std::function<int()>& work);

}  // namespace orthodict::cli
