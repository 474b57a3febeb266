// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/samples.h"

namespace orthodict::files {

// Samples of a file that is too large for memory: `size` of them, one after the other, each of `dimension` elements.
// They are read as they are used, and ahead of that where they are used in order (files/large/read_ahead.h). The file
// must not change; one that is cut off is an Error. It takes no descriptor but that of `file`: there may be a thousand
// of them.
[[nodiscard]] std::unique_ptr<Samples> stream_samples(InputFile file, const ArrayInFile& located, Index dimension,
                                                      Index size);

}  // namespace orthodict::files
