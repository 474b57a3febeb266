// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>

#include "experiment.h"

namespace orthodict::experiments {

// Runs the cells of an experiment that its journal in `folder` doesn't have yet, then writes each table as TABLE.csv
// and everything as results.json. Shows progress and an estimate of the time left. Throws Error (Fault::kStopped) when
// a stop was requested: what is done is kept, and the next run goes on from there. With `restart` it begins anew.
void run_experiment(const Experiment& experiment, const Scale& scale, const std::filesystem::path& folder, bool restart,
                    const std::stop_token& stop);

}  // namespace orthodict::experiments
