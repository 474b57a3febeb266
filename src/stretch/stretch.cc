// SPDX-License-Identifier: Apache-2.0
#include "orthodict/stretch.h"

#include <cmath>

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

template <typename Scalar>
void apply_to_pairs(const Stretch& stretch, Scalar* z, Index rows, Index count, const StretchSums<Scalar>& sums) {
  for (Index j = 0; j < count; ++j) {
    for (Index i = 0; i < rows; i += 2, z += 2) {
      const double size = std::hypot(static_cast<double>(z[0]), static_cast<double>(z[1]));
      const double curvature = stretch.second_derivative(size);
      const double ratio = size > 0 ? stretch.derivative(size) / size : curvature;
      const double value = stretch.value(size);
      for (Index part = 0; part < 2; ++part) {
        sums.value[i + part] += static_cast<Scalar>(value / 2);
        sums.derivative[i + part] += z[part] = static_cast<Scalar>(ratio * z[part]);
        sums.curvature[i + part] += static_cast<Scalar>((curvature + ratio) / 2);
      }
    }
  }
}

}  // namespace

void Stretch::apply_to_complex(float* z, Index rows, Index count, const StretchSums<float>& sums) const {
  apply_to_pairs(*this, z, rows, count, sums);
}

void Stretch::apply_to_complex(double* z, Index rows, Index count, const StretchSums<double>& sums) const {
  apply_to_pairs(*this, z, rows, count, sums);
}

void Stretch::apply(float* z, Index atoms, Index count, const StretchSums<float>& sums) const {
  apply_pointwise(*this, z, atoms, count, sums);
}

void Stretch::apply(double* z, Index atoms, Index count, const StretchSums<double>& sums) const {
  apply_pointwise(*this, z, atoms, count, sums);
}

}  // namespace orthodict
