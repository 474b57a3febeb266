// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::linalg {

// The smallest and largest eigenvalue of a symmetric matrix.
struct Spectrum {
  double smallest, largest;
};

// Estimates the spectrum by a few Lanczos steps. The estimates lie inside the spectrum. They are good to a few percent
// if it spans a decade or two; a wider one is recognised as such. Reads the lower triangle.
template <typename Scalar>
Spectrum estimate_spectrum(const Matrix<Scalar>& symmetric);

}  // namespace orthodict::linalg
