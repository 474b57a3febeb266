// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orthodict::cli {

// Handles SIGBUS: if a mapped file is truncated while it is read, the process ends with a message that names the file,
// and the exit code of bad data.
void end_on_cut_off_file();

}  // namespace orthodict::cli
