// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "orthodict/error.h"
#include "orthodict/fit.h"

namespace orthodict {

std::string Summary::brief_report() const {
  return fmt::format("{} atoms from {} samples of {} features in {:.3g} s; {}", atoms, samples, dimension,
                     total_seconds, message) +
         (warnings.empty() ? "" : fmt::format("; warning: {}", fmt::join(warnings, "; warning: ")));
}

bool Summary::is_usable() const { return termination != Termination::kNotEstablished; }

std::string Summary::full_report(std::optional<Index> max_lines) const {
  if (max_lines && *max_lines < 1) throw option_error("max_lines", fmt::format("{}", *max_lines), "1 or more");
  std::string text = fmt::format(
      "Data          {} samples of {} features, rank {}\n"
      "Model         {} atoms, {} dictionary{}{}\n"
      "Method        {}{}{}\n"
      "Precision     {}\n"
      "Threads       {}{}\n"
      "Termination   {}\n",
      samples, dimension, rank, atoms, name_of(dictionary), center ? ", centred" : "",
      normalize == Normalization::kSamples ? ", from normalized samples" : "", method,
      stretch.empty() ? "" : ", stretch " + stretch, remove_bias ? ", bias removed" : "", name_of(precision), threads,
      ranks > 1 ? fmt::format(" on each of {} ranks", ranks) : "", message);
  for (const std::string& warning : warnings) text += fmt::format("Warning       {}\n", warning);
  for (const auto& [name, value] : parameters) text += fmt::format("{:<13} {:.6g}\n", name, value);
  if (theta && noise) text += fmt::format("Coefficients  theta {:.4g}, noise {:.4g}\n", *theta, *noise);
  if (dependence > 1) text += fmt::format("Dependence    {:.3g} neighbouring samples count as one\n", dependence);
  if (distinct < samples) text += fmt::format("Distinct      {} samples, the others are copies\n", distinct);
  if (set_aside > 0) text += fmt::format("Set aside     {} samples that are far larger than all others\n", set_aside);
  text += fmt::format(
      "Objective     {:.10g}\n"
      "Time          {:.3f} s: moments {:.3f}, passes {:.3f}, projections {:.3f}\n",
      objective, total_seconds, moments_seconds, pass_seconds, projection_seconds);
  if (ranks > 1) text += fmt::format("Sent          {} bytes by this rank\n", bytes_sent);
  text += "\n iteration    stage   samples        objective          step    seconds\n";
  const auto size = static_cast<Index>(history.size());
  const Index left_out = size - std::min(size, max_lines.value_or(size));
  const Index first = (size - left_out + 1) / 2;  // lines before those that are left out
  for (Index i = 0; i < size; ++i) {
    if (i == first && left_out > 0) {
      text += fmt::format("           … {} more …\n", left_out);
      i += left_out;
      if (i == size) break;
    }
    const IterationRecord& r = history[static_cast<std::size_t>(i)];
    text += fmt::format("{:10d} {:>8} {:9d} {:16.9g} {:>13} {:10.3f}\n", r.iteration, name_of(r.stage), r.samples,
                        r.objective, r.step ? fmt::format("{:.3e}", *r.step) : "", r.seconds);
  }
  return text;
}

}  // namespace orthodict
