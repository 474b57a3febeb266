// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "coding/chance.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/learn.h"

namespace orthodict::solver::overcomplete {
namespace {

constexpr double kHas = 0.5;  // cos²

Matrix<double> half_of(const Matrix<double>& y, const Resamples& halves, int half) {
  return y(Eigen::all, halves.chosen(half, y.cols(), [](Index sample) { return sample; }));
}

}  // namespace

Verdict judge(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms,
              const Resamples& halves, const Means& means) {
  Verdict verdict{Vector<double>::Zero(atoms.cols()), std::vector<bool>(static_cast<std::size_t>(atoms.cols()), false)};
  std::array<Matrix<double>, 2> found;
  for (const int half : {0, 1}) {
    Means alone{.workers = means.workers,
                .seed = means.seed + 1 + static_cast<std::uint64_t>(half),
                .ended = means.ended,
                .centred = means.centred};
    found[half] = learn(half_of(y, halves, half), scale, atoms.cols(), alone).atoms;
    if (found[half].cols() == 0 || means.ended()) return verdict;
  }
  const Index most = std::max(found[0].cols(), found[1].cols());
  // Of all atoms together, not of each: few are to pass by chance.
  const double chance = coding::chance_cosines(y.rows(), most, 1, kExpected / static_cast<double>(most))[0];
  for (Index j = 0; j < atoms.cols(); ++j) {
    verdict.confidence[j] = 1;
    for (const Matrix<double>& of_half : found) {
      const double cosine = (of_half.transpose() * atoms.col(j)).cwiseAbs().maxCoeff();
      const double c = (cosine * cosine - chance) / (1 - chance);
      verdict.confidence[j] *= c > 0 ? std::sqrt(1 / (1 + (1 - c) / (c * c))) : 0;
      if (c > kHas) verdict.found[static_cast<std::size_t>(j)] = true;
    }
  }
  return verdict;
}

}  // namespace orthodict::solver::overcomplete
