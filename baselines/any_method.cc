// SPDX-License-Identifier: Apache-2.0
#include "baselines/any_method.h"

#include <fmt/format.h>

#include "orthodict/error.h"

namespace orthodict::baselines {
namespace {

template <typename Enum>
std::optional<Enum> find_name(const std::string& name) {
  for (const Named<Enum>& entry : names_of<Enum>()) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

}  // namespace

AnyMethod parse_method(const std::string& option, const std::string& name) {
  constexpr std::string_view kWithStretch = "msp:";
  if (name.starts_with(kWithStretch)) {
    const std::string stretch = name.substr(kWithStretch.size());
    try {
      static_cast<void>(make_stretch(stretch));
    } catch (const Error& error) {
      throw option_error(option, name, fmt::format("msp: followed by a stretch ({})", error.what()));
    }
    return {.method = Method::kMsp, .stretch = stretch};
  }
  if (const auto method = find_name<Method>(name)) return {.method = *method};
  if (const auto baseline = find_name<Baseline>(name)) return {.baseline = baseline};
  std::string legal;
  for (const auto& entry : names_of<Method>()) legal += std::string(entry.name) + ", ";
  throw option_error(option, name, legal + "msp:STRETCH, " + legal_names<Baseline>());
}

void validate(const AnyMethod& method, const Options& options, const Parameters& parameters) {
  if (method.stretch && options.stretch && *options.stretch != *method.stretch) {
    throw option_error("stretch", *options.stretch, fmt::format("left out with method msp:{}", *method.stretch));
  }
  if (parameters.ksvd.sparsity && method.baseline != Baseline::kKsvd) {
    throw option_error("sparsity", fmt::format("{}", *parameters.ksvd.sparsity), "left out unless the method is ksvd");
  }
  if (parameters.online.penalty && method.baseline != Baseline::kOnline) {
    throw option_error("penalty", fmt::format("{}", *parameters.online.penalty),
                       "left out unless the method is online");
  }
  if (method.baseline && options.ranks && options.ranks->count() > 1) {
    throw option_error("method", std::string(name_of(*method.baseline)), "auto or msp on several ranks");
  }
  if (const std::string& file = options.checkpoint.empty() ? options.resume : options.checkpoint;
      method.baseline && !file.empty()) {
    throw option_error(
        options.checkpoint.empty() ? "resume" : "checkpoint", file,
        fmt::format("left out with method {}: only auto and msp have checkpoints", name_of(*method.baseline)));
  }
  if (!method.baseline) with_method(method, options).validate();
}

Options with_method(const AnyMethod& method, Options options) {
  options.method = method.method;
  if (method.stretch) options.stretch = method.stretch;
  return options;
}

FitResult fit(const Samples& samples, const AnyMethod& method, const Options& options, const Parameters& parameters) {
  if (method.baseline) return fit(samples, *method.baseline, options, parameters);
  return orthodict::fit(samples, with_method(method, options));
}

}  // namespace orthodict::baselines
