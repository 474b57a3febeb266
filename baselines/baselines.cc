// SPDX-License-Identifier: Apache-2.0
#include "baselines/baselines.h"

#include <array>

#include "baselines/fastica.h"
#include "baselines/pca.h"
#include "orthodict/error.h"

namespace orthodict {

using baselines::Baseline;

template <>
std::span<const Named<Baseline>> names_of() {
  static constexpr std::array<Named<Baseline>, 7> kNames = {{
      {Baseline::kKsvd, "ksvd", "K-SVD with batch orthogonal matching pursuit"},
      {Baseline::kOnline, "online", "online dictionary learning with a decreasing l1 penalty"},
      {Baseline::kSubgradient, "subgradient", "Riemannian subgradient descent on the sphere, atom by atom"},
      {Baseline::kSubgradientOracle, "subgradient_oracle", "the same, but the truth decides when an atom is found"},
      {Baseline::kFastica, "fastica", "symmetric FastICA, logcosh"},
      {Baseline::kFasticaDeflation, "fastica_deflation", "FastICA atom by atom, logcosh"},
      {Baseline::kPca, "pca", "principal components"},
  }};
  return kNames;
}

namespace baselines {

bool whitens(Baseline baseline, const Options& options) {
  const bool ica = baseline == Baseline::kFastica || baseline == Baseline::kFasticaDeflation;
  const Whitening unset =
      options.dictionary == Dictionary::kComplete || (ica && options.dictionary == Dictionary::kAuto)
          ? Whitening::kZca
          : Whitening::kNone;
  return options.whiten.value_or(unset) != Whitening::kNone;
}

FitResult fit(const Samples& samples, Baseline baseline, const Options& options, const Parameters& parameters) {
  switch (baseline) {
    case Baseline::kKsvd:
      return fit_ksvd(samples, options, parameters.ksvd);
    case Baseline::kOnline:
      return fit_online(samples, options, parameters.online);
    case Baseline::kSubgradient:
      return fit_subgradient(samples, options, {});
    case Baseline::kSubgradientOracle:
      if (!parameters.subgradient.truth) {
        throw option_error("method", "subgradient_oracle", "subgradient unless the truth is given");
      }
      return fit_subgradient(samples, options, parameters.subgradient);
    case Baseline::kFastica:
      return fit_fastica(samples, options);
    case Baseline::kFasticaDeflation:
      return fit_fastica_deflation(samples, options);
    case Baseline::kPca:
      return fit_pca(samples, options);
  }
  throw Error(Fault::kOption, "enum value out of range");
}

}  // namespace baselines
}  // namespace orthodict
