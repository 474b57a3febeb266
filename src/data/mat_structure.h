// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace orthodict::data {

// Error, naming `path`, unless `bytes` are a MATLAB v5 file whose top-level elements all lie inside it, or have the
// header of v7.3 (HDF5). matio reads on where a file is cut off; this finds it.
void check_mat_structure(std::span<const std::byte> bytes, const std::string& path);

}  // namespace orthodict::data
