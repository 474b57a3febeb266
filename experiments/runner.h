// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "experiment.h"

namespace orthodict::experiments {

struct RunOptions {
  std::optional<int> threads = {};  // default: all cores
  bool restart = false;             // discard earlier results
  std::stop_token stop = {};
};

// Runs the cells of an experiment that aren't in its journal in `folder` yet, then writes each table as TABLE.csv and
// everything as results.json. Shows progress and an estimate of the remaining time. Throws Error (Fault::kStopped) if a
// stop was requested; finished cells are kept, and the next run continues. Throws Error if another process is working
// in the folder, or if it has results of another run or another build of this program.
void run_experiment(const Experiment& experiment, const Scale& scale, const std::filesystem::path& folder,
                    const RunOptions& options);

}  // namespace orthodict::experiments
