// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stretch.h"

namespace orthodict {
namespace {

template <typename Scalar>
void apply_pointwise(const Stretch& stretch, Scalar* z, Index atoms, Index count, const StretchSums<Scalar>& sums) {
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < atoms; ++i, ++z) {
      const double x = *z;
      sums.value[i] += static_cast<Scalar>(stretch.value(x));
      sums.derivative[i] += * z = static_cast<Scalar>(stretch.derivative(x));
      sums.curvature[i] += static_cast<Scalar>(stretch.second_derivative(x));
    }
  }
}

}  // namespace

void Stretch::apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const {
  apply_pointwise(*this, z, atoms, count, sums);
}

void Stretch::apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const {
  apply_pointwise(*this, z, atoms, count, sums);
}

}  // namespace orthodict
