// SPDX-License-Identifier: Apache-2.0
#include "coding/least_squares.h"

#include <algorithm>
#include <cmath>

namespace orthodict::coding {

const std::vector<double>& SupportSolver::solve(std::span<const Index> support, std::span<const double> correlations) {
  constexpr double kDependent = 1e-12;  // squared distance from the span, relative to the atom's square
  const std::size_t size = support.size();
  factor_.resize(size * (size + 1) / 2);
  solution_.resize(size);
  const auto row = [this](std::size_t i) { return factor_.data() + i * (i + 1) / 2; };
  for (std::size_t i = 0; i < size; ++i) {
    const double* gram = products_.gram(support[i]);
    double* l = row(i);
    double rest = correlations[i];
    double pivot = gram[support[i]];
    for (std::size_t j = 0; j < i; ++j) {
      double value = gram[support[j]];
      for (std::size_t h = 0; h < j; ++h) value -= l[h] * row(j)[h];
      l[j] = row(j)[j] > 0 ? value / row(j)[j] : 0;
      pivot -= l[j] * l[j];
      rest -= l[j] * solution_[j];
    }
    const bool depends = !(pivot > kDependent * gram[support[i]]);
    if (depends) std::fill(l, l + i, 0.0);
    l[i] = depends ? 0 : std::sqrt(pivot);
    solution_[i] = depends ? 0 : rest / l[i];
  }
  for (std::size_t i = size; i-- > 0;) {
    if (row(i)[i] == 0) continue;
    for (std::size_t h = i + 1; h < size; ++h) solution_[i] -= row(h)[i] * solution_[h];
    solution_[i] /= row(i)[i];
  }
  return solution_;
}

}  // namespace orthodict::coding
