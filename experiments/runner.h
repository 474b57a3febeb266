// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "experiment.h"

namespace orthodict::experiments {

struct RunOptions {
  std::optional<int> threads = {};  // unset: all cores
  bool restart = false;             // begin anew
  std::stop_token stop = {};
};

// Runs the cells of an experiment that its journal in `folder` doesn't have yet, then writes each table as TABLE.csv
// and everything as results.json. Shows progress and an estimate of the time left. Throws Error (Fault::kStopped) when
// a stop was requested: what is done is kept, and the next run goes on from there. Throws Error when another process is
// at work in the folder, and when it holds results of another run or of another build of this program.
void run_experiment(const Experiment& experiment, const Scale& scale, const std::filesystem::path& folder,
                    const RunOptions& options);

}  // namespace orthodict::experiments
