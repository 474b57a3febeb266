// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <algorithm>

#include "orthodict/error.h"

namespace orthodict::experiments {

std::span<const Experiment> all_experiments() {
  static const std::vector<Experiment> kAll = {
      orthogonal_one_run(),
      orthogonal_trials(),
      pga_steps(),
      tan_cube(),
      learning_one_run(),
      learning_trials(),
      orders(),
      phase_theta_samples(),
      phase_dimension_samples(),
      comparison(),
      mnist(),
      bias_removal(),
      phase_auto(),
      robustness(),
      exactness(),
      concentration(),
      digits(),
      denoising(),
      rate_distortion(),
      complex_trials(),
      complex_phase(),
  };
  return kAll;
}

const Experiment& find_experiment(const std::string& name) {
  const auto all = all_experiments();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment& e) { return e.name == name; });
  if (found != all.end()) return *found;
  std::string legal;
  for (const Experiment& e : all) legal += (legal.empty() ? "" : ", ") + e.name;
  throw option_error("NAME", name, "one of " + legal);
}

std::size_t number_of(const Experiment& experiment) {
  return static_cast<std::size_t>(&find_experiment(experiment.name) - all_experiments().data()) + 1;
}

}  // namespace orthodict::experiments
