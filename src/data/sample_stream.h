// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "orthodict/array.h"
#include "orthodict/io.h"

namespace orthodict::data {

// The whole array of an .npy stream. Its header says how much to read: a stream without end isn't read to its end.
[[nodiscard]] Array read_npy_stream(int descriptor, const std::string& name);

[[nodiscard]] std::unique_ptr<SampleStream> open_npy_stream(int descriptor, const std::string& name, Layout layout);
[[nodiscard]] std::unique_ptr<SampleStream> open_raw_stream(int descriptor, const std::string& name, ElementType type,
                                                            Index dimension);

}  // namespace orthodict::data
