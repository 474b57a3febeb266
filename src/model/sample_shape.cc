// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "orthodict/model.h"

namespace orthodict {

std::vector<Index> sample_shape(const Model& model) {
  const auto metadata = nlohmann::json::parse(model.metadata, nullptr, /*allow_exceptions=*/false);
  if (!metadata.is_object() || !metadata.contains("sample_shape")) return {};
  const auto& entries = metadata["sample_shape"];
  if (!entries.is_array() || (entries.size() != 2 && entries.size() != 3)) return {};
  std::vector<Index> shape;
  Index size = 1;
  for (const auto& entry : entries) {
    if (!entry.is_number_integer()) return {};
    const auto extent = entry.get<Index>();
    if (extent < 1 || extent > model.dimension() / size) return {};
    shape.push_back(extent);
    size *= extent;
  }
  return size == model.dimension() ? shape : std::vector<Index>{};
}

}  // namespace orthodict
