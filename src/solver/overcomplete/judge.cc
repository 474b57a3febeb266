// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/judge.h"

#include <algorithm>
#include <array>
#include <vector>

#include "coding/chance.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/learn.h"

namespace orthodict::solver::overcomplete {
namespace {

Matrix<double> half_of(const Matrix<double>& y, const Resamples& halves, int half) {
  return y(Eigen::all, halves.chosen(half, y.cols(), [](Index sample) { return sample; }));
}

}  // namespace

Vector<double> judge(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms,
                     const Resamples& halves, const Means& means) {
  Vector<double> confidence = Vector<double>::Zero(atoms.cols());
  std::array<Matrix<double>, 2> found;
  for (const int half : {0, 1}) {
    Means alone{
        .workers = means.workers, .seed = means.seed + 1 + static_cast<std::uint64_t>(half), .ended = means.ended};
    found[half] = learn(half_of(y, halves, half), scale, atoms.cols(), alone).atoms;
    if (found[half].cols() == 0 || means.ended()) return confidence;
  }
  const Index most = std::max(found[0].cols(), found[1].cols());
  // Of all atoms together, not of each: few are to pass by chance.
  const double chance = coding::chance_cosines(y.rows(), most, 1, kExpected / static_cast<double>(most))[0];
  for (Index j = 0; j < atoms.cols(); ++j) {
    for (const Matrix<double>& of_half : found) {
      const double cosine = (of_half.transpose() * atoms.col(j)).cwiseAbs().maxCoeff();
      const double c = (cosine * cosine - chance) / (1 - chance);
      if (c > 0) confidence[j] += 0.5 / (1 + (1 - c) / (c * c));
    }
  }
  return confidence;
}

}  // namespace orthodict::solver::overcomplete
