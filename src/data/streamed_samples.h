// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "data/array_in_file.h"
#include "data/input_file.h"
#include "orthodict/samples.h"

namespace orthodict::data {

// Samples of a file that is too large for memory: `size` of them, one after the other, each of `dimension` elements.
// They are read as they are used. Where they are used in order the system is told to read ahead, and to forget what is
// behind: a file that is read again and again from its start would otherwise push everything else out of memory, and
// still not be there when it is needed. The file must not change; one that is cut off is an Error. It takes no
// descriptor but that of `file`.
[[nodiscard]] std::unique_ptr<Samples> stream_samples(InputFile file, const ArrayInFile& located, Index dimension,
                                                      Index size);

}  // namespace orthodict::data
