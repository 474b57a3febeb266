// SPDX-License-Identifier: Apache-2.0
#include "baselines/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "baselines/common.h"
#include "baselines/fastica.h"
#include "baselines/pca.h"
#include "orthodict/error.h"
#include "solver/options.h"

namespace orthodict::baselines {
namespace {

constexpr std::array<AnyMethod, 7> kBaselines = {{
    {"ksvd",
     "K-SVD with batch orthogonal matching pursuit",
     {},
     Whitens::kNever,
     [](const Samples& y, const Options& o, const Parameters& p) { return fit_ksvd(y, o, p.ksvd); }},
    {"online",
     "online dictionary learning with a decreasing l1 penalty",
     {},
     Whitens::kNever,
     [](const Samples& y, const Options& o, const Parameters& p) { return fit_online(y, o, p.online); }},
    {"subgradient",
     "Riemannian subgradient descent on the sphere, atom by atom",
     {},
     Whitens::kIfAsked,
     [](const Samples& y, const Options& o, const Parameters&) { return fit_subgradient(y, o, {}); }},
    {"subgradient_oracle",
     "subgradient, stopped for each atom when it matches --truth",
     {},
     Whitens::kIfAsked,
     [](const Samples& y, const Options& o, const Parameters& p) {
       if (p.subgradient.truth) return fit_subgradient(y, o, p.subgradient);
       throw option_error("method", "subgradient_oracle", "subgradient unless the truth is given");
     }},
    {"fastica",
     "symmetric FastICA, logcosh",
     {},
     Whitens::kUnlessToldOtherwise,
     [](const Samples& y, const Options& o, const Parameters&) { return fit_fastica(y, o); }},
    {"fastica_deflation",
     "FastICA atom by atom, logcosh",
     {},
     Whitens::kUnlessToldOtherwise,
     [](const Samples& y, const Options& o, const Parameters&) { return fit_fastica_deflation(y, o); }},
    {"pca",
     "principal components",
     {},
     Whitens::kNever,
     [](const Samples& y, const Options& o, const Parameters&) { return fit_pca(y, o); }},
}};

const AnyMethod* find(std::string_view name) {
  const auto rows = methods();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const AnyMethod& m) { return m.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

std::string legal_names() {
  std::string list;
  for (const AnyMethod& method : methods()) {
    if (!list.empty()) list += &method == &methods().back() ? " or " : ", ";
    list += method.name;
    if (method.of_library == Method::kMsp) list += ", msp:STRETCH";
  }
  return list;
}

// `name` without the stretch that it may have, which goes into the options.
std::string_view take_stretch(const std::string& option, std::string_view name, Options* options) {
  const std::string_view msp = name_of(Method::kMsp);
  if (name.size() <= msp.size() || !name.starts_with(msp) || name[msp.size()] != ':') return name;
  const std::string stretch(name.substr(msp.size() + 1));
  try {
    static_cast<void>(make_stretch(stretch));
  } catch (const Error& error) {
    throw option_error(option, std::string(name), fmt::format("msp: followed by a stretch ({})", error.what()));
  }
  if (options->stretch && *options->stretch != stretch) {
    throw option_error("stretch", *options->stretch, fmt::format("left out with method {}", name));
  }
  options->stretch = stretch;
  return msp;
}

}  // namespace

std::span<const AnyMethod> methods() {
  static const std::vector<AnyMethod> rows = [] {
    std::vector<AnyMethod> all;
    for (const auto& [method, name, help] : names_of<Method>()) {
      all.push_back({name, help, method, Whitens::kIfAsked,
                     [](const Samples& y, const Options& o, const Parameters&) { return orthodict::fit(y, o); }});
    }
    all.insert(all.end(), kBaselines.begin(), kBaselines.end());
    return all;
  }();
  return rows;
}

const AnyMethod& find_method(const std::string& option, const std::string& name, Options* options) {
  const AnyMethod* method = find(take_stretch(option, name, options));
  if (method == nullptr) throw option_error(option, name, legal_names());
  if (!method->of_library) return *method;
  options->method = *method->of_library;
  options->method = solver::method_of(*options);
  return *find(name_of(options->method));
}

void validate(const AnyMethod& method, const Options& options, const Parameters& parameters) {
  if (parameters.ksvd.sparsity && method.name != "ksvd") {
    throw option_error("sparsity", fmt::format("{}", *parameters.ksvd.sparsity), "left out unless the method is ksvd");
  }
  if (parameters.online.penalty && method.name != "online") {
    throw option_error("penalty", fmt::format("{}", *parameters.online.penalty),
                       "left out unless the method is online");
  }
  if (method.of_library) return options.validate();
  if (options.ranks && options.ranks->count() > 1) {
    throw option_error("method", std::string(method.name), "auto or msp on several ranks");
  }
  validate(options, std::string(method.name), method.whitens != Whitens::kNever);
}

bool whitens(const AnyMethod& method, const Options& options) {
  const bool by_default = method.whitens == Whitens::kUnlessToldOtherwise && options.dictionary == Dictionary::kAuto;
  const bool unset = by_default || options.dictionary == Dictionary::kComplete;
  return options.whiten.value_or(unset ? Whitening::kZca : Whitening::kNone) != Whitening::kNone;
}

FitResult fit(const Samples& samples, const std::string& method, Options options, const Parameters& parameters) {
  return find_method("method", method, &options).fit(samples, options, parameters);
}

}  // namespace orthodict::baselines
