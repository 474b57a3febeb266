// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/moments.h"
#include "orthodict/samples.h"
#include "solver/run.h"

namespace orthodict::solver {

// The samples, with `point` in place of some of them, which are numbered in rising order. They must outlive it.
[[nodiscard]] std::unique_ptr<Samples> replace_samples(const Samples& samples, std::vector<Index> replaced,
                                                       const Vector<double>& point);

// A few samples that are far larger than all others would decide the mean, the whitening and every step. They are set
// aside: the run learns from the samples with their mean in place of these, and `moments`, which are centred, become
// the moments of those. At most a twentieth of the samples, and none unless one is far out. Sparse samples lose nothing
// by it: exact zeros in the others determine the same dictionary.
void set_aside_outliers(Run& run, engine::Moments* moments);

}  // namespace orthodict::solver
