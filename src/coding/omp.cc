// SPDX-License-Identifier: Apache-2.0
#include "coding/omp.h"

#include <cmath>

#include "coding/constants.h"

namespace orthodict::coding {

template <typename Scalar>
void Pursuit<Scalar>::start(Scalar* correlations, double squared_norm) {
  basis_.start(correlations);
  squared_residual_ = squared_norm;
  smallest_ = kRounding<Scalar> * std::sqrt(squared_norm);
}

template <typename Scalar>
void Pursuit<Scalar>::extend(const PursuitEnd& end) {
  while (size() < end.nonzeros && squared_residual_ > end.squared_error) {
    const Index atom = basis_.largest();
    const double correlation = std::abs(static_cast<double>(basis_.correlation(atom)));
    if (!(correlation > smallest_)) return;
    const auto picked = static_cast<std::size_t>(size());
    if (!end.chance.empty() &&
        (picked >= end.chance.size() || correlation * correlation <= end.chance[picked] * squared_residual_)) {
      return;
    }
    if (!basis_.add(atom)) return;
    const auto weight = static_cast<double>(basis_.weights().back());
    squared_residual_ -= weight * weight;
  }
}

template class Pursuit<float>;
template class Pursuit<double>;

}  // namespace orthodict::coding
