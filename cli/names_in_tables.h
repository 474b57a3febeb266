// SPDX-License-Identifier: Apache-2.0
// Names of rows and columns, from a table that is read to one that is written.
#pragma once

#include <string>
#include <vector>

#include "orthodict/samples.h"
#include "orthodict/table.h"
#include "orthodict/types.h"

namespace orthodict::cli {

// The names of the features of a file's samples. Empty if it has none.
[[nodiscard]] std::vector<std::string> feature_names_at(const std::string& path, bool columns);

// Names for a table with a row for each sample of `input`: none unless the samples have names and `output` is a text
// file. Its columns have the given names, or else prefix0, prefix1 …
[[nodiscard]] TableNames names_for_rows(const std::string& input, bool columns, const std::string& output,
                                        Index samples, std::vector<std::string> of_columns, Index width,
                                        const std::string& prefix);

// Whether the first feature counts the samples from 0 or 1, as the index of a table does.
[[nodiscard]] bool begins_with_index(const Samples& samples);

}  // namespace orthodict::cli
