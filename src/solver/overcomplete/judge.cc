// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/judge.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "coding/chance.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/learn.h"

namespace orthodict::solver::overcomplete {
namespace {

Matrix<double> half_of(const Matrix<double>& y, const Resamples& halves, int half) {
  return y(Eigen::all, halves.chosen(half, y.cols(), [](Index sample) { return sample; }));
}

// Atoms, in columns of unit norm. Confidence is of their directions in the samples' coordinates; but if one axis has
// most of the variance, all directions are alike there. Chance has no preferred directions in whitened coordinates.
struct BothCoordinates {
  BothCoordinates(const Matrix<double>& atoms, const Vector<double>& scale)
      : own(atoms), whitened(unit_columns<double>(scale.asDiagonal() * atoms)) {}
  Matrix<double> own;
  Matrix<double> whitened;
};

// The cos² between an atom and the closest of others, in the coordinates in which it is smaller.
double closest(const BothCoordinates& atoms, Index atom, const BothCoordinates& others) {
  const Vector<double> own = others.own.transpose() * atoms.own.col(atom);
  const Vector<double> whitened = others.whitened.transpose() * atoms.whitened.col(atom);
  return own.cwiseAbs2().cwiseMin(whitened.cwiseAbs2()).maxCoeff();
}

}  // namespace

Verdict judge(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms,
              const Resamples& halves, const Means& means) {
  Verdict verdict{Vector<double>::Zero(atoms.cols()), std::vector<bool>(static_cast<std::size_t>(atoms.cols()), false)};
  std::vector<BothCoordinates> found;
  Index most = 0;
  for (const int half : {0, 1}) {
    Means alone{.workers = means.workers,
                .seed = means.seed + 1 + static_cast<std::uint64_t>(half),
                .ended = means.ended,
                .centred = means.centred};
    found.emplace_back(learn(half_of(y, halves, half), scale, atoms.cols(), alone).atoms, scale);
    if (found.back().own.cols() == 0 || means.ended()) return verdict;
    most = std::max(most, found.back().own.cols());
  }
  // Of all atoms together, not of each: few are to pass by chance.
  const double chance = coding::chance_cosines(y.rows(), most, 1, kExpected / static_cast<double>(most))[0];
  const BothCoordinates judged(atoms, scale);
  for (Index j = 0; j < atoms.cols(); ++j) {
    verdict.confidence[j] = 1;
    for (const BothCoordinates& of_half : found) {
      const double c = (closest(judged, j, of_half) - chance) / (1 - chance);
      verdict.confidence[j] *= c > 0 ? std::sqrt(1 / (1 + (1 - c) / (c * c))) : 0;
      if (c > kHas) verdict.found[static_cast<std::size_t>(j)] = true;
    }
  }
  return verdict;
}

}  // namespace orthodict::solver::overcomplete
