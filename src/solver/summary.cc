// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "orthodict/fit.h"

namespace orthodict {

std::string Summary::brief_report() const {
  return fmt::format("{} atoms from {} samples of {} features in {:.3g} s; {}", atoms, samples, dimension,
                     total_seconds, message);
}

std::string Summary::full_report() const {
  std::string text = fmt::format(
      "Data          {} samples of {} features, rank {}\n"
      "Model         {} atoms\n"
      "Stretch       {}{}\n"
      "Precision     {}\n"
      "Threads       {}\n"
      "Termination   {}\n"
      "Objective     {:.10g}\n"
      "Time          {:.3f} s: moments {:.3f}, passes {:.3f}, projections {:.3f}\n",
      samples, dimension, rank, atoms, stretch, remove_bias ? ", bias removed" : "", name_of(precision), threads,
      message, objective, total_seconds, moments_seconds, pass_seconds, projection_seconds);
  text += "\n iteration        objective          step    seconds\n";
  for (const IterationRecord& r : history) {
    text += fmt::format("{:10d} {:16.9g} {:>13} {:10.3f}\n", r.iteration, r.objective,
                        r.step ? fmt::format("{:.3e}", *r.step) : "", r.seconds);
  }
  return text;
}

}  // namespace orthodict
