// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/workers.h"
#include "orthodict/fit.h"
#include "orthodict/types.h"

namespace orthodict::solver::overcomplete {

// What a round came to, in the samples' coordinates.
struct Round {
  Stage stage;
  double left;                 // share of energy that codes leave
  std::optional<double> step;  // how far an atom moved (rms)
  Index samples;               // that were coded
  const Matrix<double>& atoms;
  const Vector<double>& shift;  // as in Finished
};

// What all stages need besides samples.
struct Means {
  engine::Workers& workers;
  std::uint64_t seed = 0;
  std::function<bool()> ended = [] { return false; };  // whether to return soon; all threads ask
  // After exploring, told the nonzeros of a code: whether another model of the samples is there, and learning may end.
  std::function<bool(double nonzeros)> has_better = [](double) { return false; };
  bool centred = false;  // samples have a mean near zero, and are sparse up to a shift that is to be found
  std::function<void(const Round&)> record = [](const Round&) {};  // told after each round that has atoms

  // Runs task(0) … task(tasks − 1) on all threads. Once ended() is true it begins no more of them.
  void for_each(Index tasks, const std::function<void(Index)>& task) const {
    workers.for_each(workers.count(), tasks, [&](Index i) {
      if (!ended()) task(i);
    });
  }
};

// The value below which that share of the values lies.
[[nodiscard]] inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}
[[nodiscard]] inline double quantile(const Vector<double>& values, double share) {
  return quantile(std::vector<double>(values.begin(), values.end()), share);
}

// Columns at unit norm; those that are zero stay.
template <typename Scalar>
[[nodiscard]] Matrix<Scalar> unit_columns(Matrix<Scalar> m) {
  for (Index j = 0; j < m.cols(); ++j) {
    const Scalar norm = m.col(j).norm();
    if (norm > 0) m.col(j) /= norm;
  }
  return m;
}

}  // namespace orthodict::solver::overcomplete
