// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "formats/npz.h"
#include "orthodict/samples.h"

namespace orthodict::formats {

// Whether the archive is a sparse matrix of scipy.sparse.save_npz, of whatever kind.
[[nodiscard]] bool is_sparse_matrix(const NpzFile& file);

// Its rows as samples. Only compressed sparse rows ("csr") are read. Throws Error when the parts don't fit together.
[[nodiscard]] std::unique_ptr<Samples> csr_samples(const NpzFile& file, const std::string& path);

}  // namespace orthodict::formats
