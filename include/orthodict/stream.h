// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "orthodict/export.h"
#include "orthodict/fit.h"
#include "orthodict/samples.h"

namespace orthodict {

// Gives the next section of samples that come in order and aren't kept; null when there are no more. It is called from
// another thread, two sections ahead, and should return soon after a stop is requested.
using Sections = std::function<std::unique_ptr<Samples>()>;

// Learns from samples that are seen once: more than memory or a disk holds, or without an end that is known. The first
// section is explored, every further one is refined from what the ones before led to, and atoms are averaged, weighted
// by the number of samples. A lone section gives what fit() gives. The first section should have 20 samples for each
// feature, and be like those that follow; a last one of less than half the size joins the one before.
//
// What the mean of many estimates can't have that one estimate has is little (docs/scale.md has figures), as long as
// sections aren't small. Limits on iterations hold for each section, those on time for all. Options that name
// checkpoints or ranks are refused. Throws as fit() does.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit_stream(const Sections& next, const Options& options = {});

}  // namespace orthodict
