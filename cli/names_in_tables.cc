// SPDX-License-Identifier: Apache-2.0
#include "names_in_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

bool begins_with_index(const Samples& samples) {
  constexpr Index kBlock = 1024, kFewest = 3;
  if (samples.size() < kFewest) return false;
  Vector<double> scratch(samples.dimension() * kBlock);
  std::optional<double> start;
  for (Index first = 0; first < samples.size(); first += kBlock) {
    const Index count = std::min(kBlock, samples.size() - first);
    const Block<double> block = samples.block(first, count, scratch.data());
    for (Index i = 0; i < count; ++i) {
      const double value = block.data[i * block.stride];
      if (!start) start = value;
      if ((*start != 0 && *start != 1) || value != *start + static_cast<double>(first + i)) return false;
    }
  }
  return true;
}

}  // namespace orthodict::cli
