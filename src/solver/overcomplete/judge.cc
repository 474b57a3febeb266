// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "coding/chance.h"
#include "random/stream.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/learn.h"

namespace orthodict::solver::overcomplete {
namespace {

// Every other sample of a random order.
Matrix<double> half_of(const Matrix<double>& y, Index half, const Means& means) {
  const random::Permutation order(y.cols(), random::Stream(means.seed, random::Purpose::kHalves));
  std::vector<Index> chosen;
  for (Index i = half; i < y.cols(); i += 2) chosen.push_back(order[i]);
  std::sort(chosen.begin(), chosen.end());
  return y(Eigen::all, chosen);
}

}  // namespace

Vector<double> judge(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms,
                     const Means& means) {
  Vector<double> confidence = Vector<double>::Zero(atoms.cols());
  std::array<Matrix<double>, 2> found;
  for (const Index half : {0, 1}) {
    Means alone{
        .workers = means.workers, .seed = means.seed + 1 + static_cast<std::uint64_t>(half), .ended = means.ended};
    found[half] = learn(half_of(y, half, means), scale, atoms.cols(), alone).atoms;
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
