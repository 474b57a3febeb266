// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "baselines/baselines.h"
#include "orthodict/fit.h"

namespace orthodict::baselines {

// A method of the library or a baseline, by name: auto, msp, msp:STRETCH (such as msp:l3), or a baseline's name.
struct AnyMethod {
  Method method = Method::kAuto;
  std::optional<std::string> stretch = {};
  std::optional<Baseline> baseline = {};  // if set, the fields above are ignored
};

// Throws Error, naming `option`, if there is no such method.
[[nodiscard]] AnyMethod parse_method(const std::string& option, const std::string& name);

// Throws Error, naming the first option or parameter that belongs to another method.
void validate(const AnyMethod& method, const Options& options, const Parameters& parameters);

// The options with the method and the stretch filled in.
[[nodiscard]] Options with_method(const AnyMethod& method, Options options);

// Learns with the method, which replaces Options::method, and the stretch if the name includes one.
[[nodiscard]] FitResult fit(const Samples& samples, const AnyMethod& method, const Options& options,
                            const Parameters& parameters = {});

}  // namespace orthodict::baselines
