// SPDX-License-Identifier: Apache-2.0
#include "names_in_tables.h"

#include <fmt/format.h>

#include <utility>

#include "arguments.h"

namespace orthodict::cli {
namespace {

TableNames names_at(const std::string& path) {
  return is_standard_stream(path) ? TableNames{} : read_table_names(path);
}

}  // namespace

std::vector<std::string> feature_names_at(const std::string& path, bool columns) {
  TableNames names = names_at(path);
  return std::move(columns ? names.rows : names.columns);
}

TableNames names_for_rows(const std::string& input, bool columns, const std::string& output, Index samples,
                          std::vector<std::string> of_columns, Index width, const std::string& prefix) {
  if (!output.ends_with(".csv") && !output.ends_with(".tsv")) return {};
  TableNames found = names_at(input);
  TableNames names{
      .rows = std::move(columns ? found.columns : found.rows), .columns = std::move(of_columns), .corner = "sample"};
  if (static_cast<Index>(names.rows.size()) != samples) return {};
  if (!columns && !found.corner.empty()) names.corner = std::move(found.corner);
  const bool are_named = !names.columns.empty();
  for (Index i = 0; i < width && !are_named; ++i) names.columns.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

}  // namespace orthodict::cli
