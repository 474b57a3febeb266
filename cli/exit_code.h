// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace orthodict::cli {

// What a process answers to the shell.
enum ExitCode { kDone = 0, kBadUsage = 2, kBadData = 3, kNotConverged = 4, kInterrupted = 130 };

// "program: message" on standard error, once where several ranks fail together; gives back the code. A rank that fails
// on its own ends the whole job.
int complain(const std::string& program, const std::string& message, int code);

// The one place where faults become exit codes: runs `work`, which returns one, and makes sure that all of standard
// output was written.
int run_with_exit_code(const std::string& program, const std::function<int()>& work);

}  // namespace orthodict::cli
