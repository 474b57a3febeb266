// SPDX-License-Identifier: Apache-2.0
// All methods by name, a row each: those of the library and the baselines that it is compared with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "baselines/ksvd.h"
#include "baselines/online.h"
#include "baselines/subgradient.h"
#include "orthodict/export.h"
#include "orthodict/fit.h"

namespace orthodict::baselines {

// What a baseline needs beyond Options; those of the others are not looked at.
struct Parameters {
  KsvdOptions ksvd = {};
  OnlineOptions online = {};
  SubgradientOptions subgradient = {};  // subgradient_oracle needs its truth
};

// When a baseline whitens the samples. One that never does has neither `dictionary` nor `whiten`.
enum class Whitens { kNever, kIfAsked, kUnlessToldOtherwise };

struct AnyMethod {
  std::string_view name;
  std::string_view help;
  std::optional<Method> of_library;  // unset: a baseline
  Whitens whitens;
  // As orthodict::fit(), with the same summary. Options are those that find_method() went through.
  FitResult (*fit)(const Samples& samples, const Options& options, const Parameters& parameters);
};

[[nodiscard]] ORTHODICT_EXPORT std::span<const AnyMethod> methods();

// The method of that name in options that already have their stretch. From here on the method is this row, and
// `options`, which is told, agrees with it: msp:STRETCH is msp with that stretch, and auto with a stretch is msp.
// Throws Error that names `option` when there is no such method, and for two different stretches.
[[nodiscard]] ORTHODICT_EXPORT const AnyMethod& find_method(const std::string& option, const std::string& name,
                                                            Options* options);

// Throws Error that names what `options` and `parameters` ask for that isn't legal, or is another method's.
ORTHODICT_EXPORT void validate(const AnyMethod& method, const Options& options, const Parameters& parameters);

// Whether it whitens the samples, and so has as many atoms as they have rank. Of a baseline.
[[nodiscard]] ORTHODICT_EXPORT bool whitens(const AnyMethod& method, const Options& options);

// Learns a dictionary with the method of that name.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit(const Samples& samples, const std::string& method, Options options,
                                             const Parameters& parameters = {});

}  // namespace orthodict::baselines
