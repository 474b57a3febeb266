// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "orthodict/array.h"
#include "orthodict/io.h"

namespace orthodict::formats {

// The whole array of an .npy stream. What comes behind it is an Error, so that this returns when the sender has closed
// its end.
[[nodiscard]] Array read_npy_stream(int descriptor, const std::string& name);

// A stream that is read in sections gives them as they come, the last one too: what comes behind is an Error of the
// read() that would say that there are no more.
[[nodiscard]] std::unique_ptr<SampleStream> open_npy_stream(int descriptor, const std::string& name, Layout layout,
                                                            const std::stop_token& stop = {});
[[nodiscard]] std::unique_ptr<SampleStream> open_raw_stream(int descriptor, const std::string& name, ElementType type,
                                                            Index dimension);

}  // namespace orthodict::formats
