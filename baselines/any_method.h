// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "baselines/baselines.h"
#include "orthodict/fit.h"

namespace orthodict::baselines {

// A method of the library or a baseline, by one name: auto, msp, msp:STRETCH (msp:l3) or that of a baseline.
struct AnyMethod {
  Method method = Method::kAuto;
  std::optional<std::string> stretch = {};
  std::optional<Baseline> baseline = {};  // set: the above mean nothing
};

// Throws Error that names `option` when there is no such method.
[[nodiscard]] AnyMethod parse_method(const std::string& option, const std::string& name);

// Throws Error that names what `options` and `parameters` ask for that is another method's.
void validate(const AnyMethod& method, const Options& options, const Parameters& parameters);

// The options with the method and the stretch filled in.
[[nodiscard]] Options with_method(const AnyMethod& method, Options options);

// Learns with it. Options::method is replaced, and so is the stretch where the name has one.
[[nodiscard]] FitResult fit(const Samples& samples, const AnyMethod& method, const Options& options,
                            const Parameters& parameters = {});

}  // namespace orthodict::baselines
