// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orthodict::cli {

// A mapped file that is cut off while it is read (SIGBUS) ends the process with a message that names it, as bad data.
void end_on_cut_off_file();

}  // namespace orthodict::cli
