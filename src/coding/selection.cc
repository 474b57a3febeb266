// SPDX-License-Identifier: Apache-2.0
#include "coding/selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace orthodict::coding {

void keep(const EncodeOptions& options, double* code, Index size) {
  if (options.threshold) {
    for (Index i = 0; i < size; ++i) {
      if (!(std::abs(code[i]) >= *options.threshold)) code[i] = 0;
    }
  }
  if (!options.top || *options.top >= size) return;
  std::vector<Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  const auto larger = [&](Index a, Index b) {
    return std::abs(code[a]) != std::abs(code[b]) ? std::abs(code[a]) > std::abs(code[b]) : a < b;
  };
  std::nth_element(order.begin(), order.begin() + (*options.top - 1), order.end(), larger);
  for (auto i = static_cast<std::size_t>(*options.top); i < order.size(); ++i) code[order[i]] = 0;
}

}  // namespace orthodict::coding
