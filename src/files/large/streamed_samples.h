// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/samples.h"

namespace orthodict::files {

// Samples in a file that is too large for memory: `size` contiguous samples of `dimension` elements each. They are read
// when they are used, and read ahead if they are used in order (files/large/read_ahead.h). The file must not change;
// truncation is an Error. Needs no descriptor besides that of `file`, since there may be a thousand files.
[[nodiscard]] std::unique_ptr<Samples> stream_samples(InputFile file, const ArrayInFile& located, Index dimension,
                                                      Index size);

}  // namespace orthodict::files
