// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/io.h"
#include "orthodict/output.h"
#include "orthodict/types.h"

namespace orthodict {

// The names in a table: of its rows, and of its columns. Each is empty where the table has none.
struct TableNames {
  std::vector<std::string> rows = {};
  std::vector<std::string> columns = {};
  std::string corner = {};  // the heading of the rows' names

  [[nodiscard]] bool empty() const { return rows.empty() && columns.empty(); }
};

// The names in a .csv, .tsv or .txt file, as docs/formats.md describes it. Empty for files of other kinds, which have
// none.
[[nodiscard]] ORTHODICT_EXPORT TableNames read_table_names(const std::string& path);

// Writes numbers with these names, to a .csv or .tsv file. As many names as rows and columns, or none. Throws Error for
// a name of another kind.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<RowWriter> open_table_writer(const Output& output, ElementType type,
                                                                            Index rows, Index columns,
                                                                            const TableNames& names);

}  // namespace orthodict
