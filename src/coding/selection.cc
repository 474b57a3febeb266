// SPDX-License-Identifier: Apache-2.0
#include "coding/selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace orthodict::coding {

void keep(const EncodeOptions& options, double* code, Index size, bool is_complex) {
  const Index reals = is_complex ? 2 : 1;
  const auto size_of = [&](Index i) {
    return is_complex ? std::hypot(code[2 * i], code[2 * i + 1]) : std::abs(code[i]);
  };
  const auto drop = [&](Index i) { std::fill_n(code + i * reals, reals, 0.0); };
  if (options.threshold) {
    for (Index i = 0; i < size; ++i) {
      if (!(size_of(i) >= *options.threshold)) drop(i);
    }
  }
  if (!options.top || *options.top >= size) return;
  std::vector<Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  const auto larger = [&](Index a, Index b) {
    const double one = size_of(a), other = size_of(b);
    return one != other ? one > other : a < b;
  };
  std::nth_element(order.begin(), order.begin() + (*options.top - 1), order.end(), larger);
  for (auto i = static_cast<std::size_t>(*options.top); i < order.size(); ++i) drop(order[i]);
}

}  // namespace orthodict::coding
