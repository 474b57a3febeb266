// SPDX-License-Identifier: Apache-2.0
#include "solver/changed_samples.h"

namespace orthodict::solver {

Block<float> ChangedSamples::block(Index first, Index count, float* scratch) const {
  return changed(first, count, scratch);
}
Block<double> ChangedSamples::block(Index first, Index count, double* scratch) const {
  return changed(first, count, scratch);
}

template <typename Scalar>
Block<Scalar> ChangedSamples::changed(Index first, Index count, Scalar* scratch) const {
  const Block<Scalar> given = samples_.block(first, count, scratch);
  if (!changes(first, count)) return given;
  const Index n = dimension();
  // Columns that are already in the scratch are changed in place.
  const Index stride = given.data == scratch ? given.stride : n;
  Vector<double> y(n);
  for (Index j = 0; j < count; ++j) {
    y = Eigen::Map<const Vector<Scalar>>(given.data + j * given.stride, n).template cast<double>();
    change(first + j, &y);
    Eigen::Map<Vector<Scalar>>(scratch + j * stride, n) = y.template cast<Scalar>();
  }
  return {scratch, stride};
}

}  // namespace orthodict::solver
