// SPDX-License-Identifier: Apache-2.0
// What the baselines share.
#pragma once

#include <string>

#include "orthodict/fit.h"
#include "solver/run.h"

namespace orthodict::baselines {

// Throws Error that names the first option that is neither legal nor understood by a baseline: the stretch and all that
// says how msp steps, and, unless it `whitens`, what is said about whitening.
void validate(const Options& options, const std::string& method, bool whitens);

// The samples less `mean`, in columns: a copy in double precision. Throws Error when they don't fit into memory.
[[nodiscard]] Matrix<double> copy_samples(const Samples& samples, const Vector<double>& mean);

// The model of a dictionary with atoms in columns (n×k), k ≤ n, all finite, in canonical order and at unit norm. A code
// is that of least squares, the shortest where the atoms are dependent. Atoms that are zero become unit vectors outside
// the span of the others.
[[nodiscard]] Model model_of(const Matrix<double>& dictionary, const Vector<double>& mean,
                             const Matrix<double>& second_moment);

// The moments of the samples for a baseline that doesn't whiten, about the mean if options.center says so (about zero
// when it is unset), and the summary of the data and the tolerance.
[[nodiscard]] engine::Moments measure(solver::Run& run);

// How many atoms to learn: the number that options.atoms says, or all of the dimension. Throws Error when it is more
// than that.
[[nodiscard]] Index atoms_of(const solver::Run& run);

// Where a dictionary of so many atoms, in columns and of unit norm, starts: as options.init says, and for a random
// start from the same orthogonal matrix as msp. Throws Error that names initial_dictionary when that can't be started
// from.
[[nodiscard]] Matrix<double> start_dictionary(const solver::Run& run);

}  // namespace orthodict::baselines
