// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orthodict/types.h"

namespace orthodict::linalg {

// The ends of a symmetric matrix' spectrum.
struct Spectrum {
  double smallest, largest;
};

// Estimates from a few Lanczos steps, from inside: good to some percent where the spectrum spans a decade or two. Where
// it spans more they still tell that much. Reads the lower triangle.
template <typename Scalar>
Spectrum estimate_spectrum(const Matrix<Scalar>& symmetric);

}  // namespace orthodict::linalg
