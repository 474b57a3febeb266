// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "formats/npz.h"
#include "orthodict/samples.h"

namespace orthodict::formats {

// Whether the archive was written by scipy.sparse.save_npz, in any sparse format.
[[nodiscard]] bool is_sparse_matrix(const NpzFile& file);

// The rows of a compressed-sparse-row matrix ("csr") as samples. Throws Error for other formats and inconsistent parts.
[[nodiscard]] std::unique_ptr<Samples> csr_samples(const NpzFile& file, const std::string& path);

}  // namespace orthodict::formats
