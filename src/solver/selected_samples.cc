// SPDX-License-Identifier: Apache-2.0
#include "solver/selected_samples.h"

#include <algorithm>
#include <utility>

namespace orthodict::solver {

SelectedSamples::SelectedSamples(const Samples& samples, std::vector<Index> selected)
    : samples_(samples), selected_(std::move(selected)) {}

Block<float> SelectedSamples::block(Index first, Index count, float* scratch) const {
  return selected(first, count, scratch);
}
Block<double> SelectedSamples::block(Index first, Index count, double* scratch) const {
  return selected(first, count, scratch);
}

template <typename Scalar>
Block<Scalar> SelectedSamples::selected(Index first, Index count, Scalar* scratch) const {
  const Index n = dimension();
  const auto end_of_run = [&](Index begin) {
    Index end = begin + 1;
    while (end < first + count && at(end) == at(end - 1) + 1) ++end;
    return end;
  };
  if (count == 0 || end_of_run(first) == first + count)
    return samples_.block(count == 0 ? 0 : at(first), count, scratch);
  for (Index begin = first; begin < first + count;) {
    const Index end = end_of_run(begin);
    Scalar* to = scratch + (begin - first) * n;
    const Block<Scalar> run = samples_.block(at(begin), end - begin, to);
    for (Index j = 0; run.data != to && j < end - begin; ++j) std::copy_n(run.data + j * run.stride, n, to + j * n);
    begin = end;
  }
  return {scratch, n};
}

}  // namespace orthodict::solver
