// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "orthodict/error.h"
#include "orthodict/fit.h"

namespace orthodict {

template <>
std::span<const Named<Whitening>> names_of() {
  static constexpr std::array<Named<Whitening>, 3> kNames = {{
      {Whitening::kNone, "none", "use the samples as they are: the dictionary is orthogonal"},
      {Whitening::kZca, "zca", "precondition by C^(-1/2), the paper's way to a general complete dictionary"},
      {Whitening::kPca, "pca", "principal components at unit variance; with fewer atoms, the leading ones"},
  }};
  return kNames;
}

template <>
std::span<const Named<Precision>> names_of() {
  static constexpr std::array<Named<Precision>, 3> kNames = {{
      {Precision::kF32, "f32", "single precision"},
      {Precision::kF64, "f64", "double precision"},
      {Precision::kMixed, "mixed", "passes in single precision, sums over blocks and projections in double"},
  }};
  return kNames;
}

template <>
std::span<const Named<Initialization>> names_of() {
  static constexpr std::array<Named<Initialization>, 3> kNames = {{
      {Initialization::kRandom, "random", "a Haar-random orthogonal matrix"},
      {Initialization::kIdentity, "identity", "the identity"},
      {Initialization::kGiven, "given", "the atoms in a file"},
  }};
  return kNames;
}

template <>
std::span<const Named<Termination>> names_of() {
  static constexpr std::array<Named<Termination>, 4> kNames = {{
      {Termination::kConverged, "converged", "the step fell below the tolerance"},
      {Termination::kMaxIterations, "max_iterations", "the iterations allowed were used up"},
      {Termination::kTimeLimit, "time_limit", "the time allowed was used up"},
      {Termination::kStopped, "stopped", "it was stopped before it converged"},
  }};
  return kNames;
}

namespace {

void require(bool legal, const std::string& name, double value, const std::string& what) {
  if (!legal) throw option_error(name, fmt::format("{}", value), what);
}

}  // namespace

void Options::validate() const {
  const std::shared_ptr<const Stretch> phi = custom_stretch ? custom_stretch : make_stretch(stretch);
  const bool removes_bias = remove_bias.value_or(phi->is_subquadratic());
  if (removes_bias && !phi->is_smooth()) {
    throw option_error("remove_bias", "true",
                       fmt::format("false with stretch {}, whose derivative jumps", phi->name()));
  }
  if (theta) {
    require(*theta > 0 && *theta <= 1, "theta", *theta, "in (0, 1]");
    require(!removes_bias || phi->degree() == 4, "theta", *theta,
            fmt::format("left out when bias is removed with stretch {}: 12pθ² is the bias of l4 only", phi->name()));
  }
  require(bias_fraction > 0 && bias_fraction <= 1, "bias_fraction", bias_fraction, "in (0, 1]");
  require(step > 0, "step", step, "a number > 0, or inf");
  require(!atoms || *atoms >= 1, "atoms", static_cast<double>(atoms.value_or(1)), "an integer ≥ 1");
  require(max_iterations >= 0, "max_iterations", max_iterations, "an integer ≥ 0");
  require(tolerance >= 0 && std::isfinite(tolerance), "tolerance", tolerance, "a finite number ≥ 0");
  require(!time_limit || *time_limit > 0, "time_limit", time_limit.value_or(1), "a number of seconds > 0");
  require(!threads || (*threads >= 1 && *threads <= 4096), "threads", threads.value_or(1), "an integer from 1 to 4096");
}

}  // namespace orthodict
