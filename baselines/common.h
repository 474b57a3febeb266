// SPDX-License-Identifier: Apache-2.0
// Shared by the baselines.
#pragma once

#include <string>

#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::baselines {

// Throws Error, naming the first option that is illegal or not supported by baselines: the stretch, everything about
// the step of msp and, unless it `whitens`, everything about whitening.
void validate(const Options& options, const std::string& method, bool whitens);

// A copy of the samples minus `mean`, in columns, in double precision. Throws Error if it doesn't fit in memory.
[[nodiscard]] Matrix<double> copy_samples(const Samples& samples, const Vector<double>& mean);

// The model of a dictionary with atoms in columns (n×k), k ≤ n, which must be finite; in canonical order and at unit
// norm. Codes are the least-squares solution, of minimum norm if atoms are dependent. Zero atoms become unit vectors
// outside the span of the others.
[[nodiscard]] Model model_of(const Matrix<double>& dictionary, const Vector<double>& mean,
                             const Matrix<double>& second_moment);

// Measures the moments of the samples for a baseline that doesn't whiten, about the mean if options.center is set,
// about zero otherwise, and fills in the summary's data and tolerance.
[[nodiscard]] engine::Moments measure(solver::Run& run);

// The number of atoms to learn: options.atoms, by default the dimension. Throws Error if it exceeds the dimension.
[[nodiscard]] Index atoms_of(const solver::Run& run);

// The start of a dictionary with that many unit-norm atoms, in columns, according to options.init. A random start comes
// from the same orthogonal matrix as that of msp. Throws Error, naming initial_dictionary, if that is unsuitable.
[[nodiscard]] Matrix<double> start_dictionary(const solver::Run& run);

}  // namespace orthodict::baselines
