// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "orthodict/export.h"
#include "orthodict/fit.h"
#include "orthodict/samples.h"

namespace orthodict {

// Gives the next section of samples that come in order and aren't kept; null when there are no more. It is called from
// other threads, one call after the other and a section ahead. Once a stop is requested nobody waits for what it gives:
// it should return soon.
using Sections = std::function<std::unique_ptr<Samples>(const std::stop_token& stop)>;

// Learns from samples that are seen once: more than memory or a disk holds, or without an end that is known. The first
// section is explored, every further one is fitted from what the ones before led to, and atoms are averaged, weighted
// by the number of samples. A lone section gives what fit() gives. The first section should have 20 samples for each
// feature, and be like those that follow: whether to centre, and whether the dictionary is orthogonal, is decided
// there. Sections of less than half the size of the one before are put together; what is left of them in the end joins
// the last one, which is learned from anew. A further section whose samples are all equal has no say about atoms.
//
// What the mean of many estimates lacks that one estimate has is little (docs/scale.md has figures), as long as
// sections aren't small. Limits on iterations hold for each section, those on time for all. Of the summary, passes are
// the most of any section, and the history has the first ten thousand iterations. Options that name checkpoints or
// ranks are refused. Throws as fit() does.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit_stream(const Sections& next, const Options& options = {});

}  // namespace orthodict
