// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "orthodict/export.h"
#include "orthodict/fit.h"
#include "orthodict/samples.h"

namespace orthodict {

// Returns the next section of a stream of samples, or null at the end. Called one section ahead, from another thread,
// but never by two threads at once. After a stop request it should return soon; its result is then ignored.
using Sections = std::function<std::unique_ptr<Samples>(const std::stop_token& stop)>;

// Learns from a stream, seeing each sample once: for data that exceed memory or disk, or whose end isn't known. The
// first section is fitted as by fit(), each later one is fitted starting from the result so far, and atoms are
// averaged, weighted by the number of samples. The first section should have at least 20 samples per feature and be
// representative, because it decides on centring and on whether the dictionary is orthogonal. Sections of less than
// half the size of their predecessor are merged with the following ones; if the stream ends first, they are merged with
// the last section, which is fitted again. Later sections whose samples are all equal are ignored.
//
// Averaging costs little accuracy compared with one fit of all samples (docs/scale.md has figures), unless sections are
// small. Limits on iterations apply to each section, the time limit to the whole. In the summary, `passes` is the
// maximum over sections, and the history has the first ten thousand iterations. Throws Error for options with
// checkpoints or ranks, and as fit() does.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit_stream(const Sections& next, const Options& options = {});

}  // namespace orthodict
