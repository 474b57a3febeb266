// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/moments.h"
#include "orthodict/samples.h"
#include "solver/run.h"

namespace orthodict::solver {

// The samples, with `point` in place of those at the indices `replaced`, in ascending order. The underlying samples
// must outlive them.
[[nodiscard]] std::unique_ptr<Samples> replace_samples(const Samples& samples, std::vector<Index> replaced,
                                                       const Vector<double>& point);

// Sets aside a few samples that are much larger than all others and would dominate the mean, the whitening and every
// step. The run learns from samples in which the mean replaces these, and `moments`, which must be centred, become
// their moments. At most a twentieth of the samples are set aside, and none unless one is far from all others. Sparse
// samples are not affected: exact zeros in the others determine the same dictionary.
void set_aside_outliers(Run& run, engine::Moments* moments);

}  // namespace orthodict::solver
