// SPDX-License-Identifier: Apache-2.0
#include "orthodict/fit.h"

#include "engine/collective.h"
#include "linalg/complex.h"
#include "solver/auto.h"
#include "solver/msp.h"
#include "solver/options.h"
#include "solver/orient.h"
#include "solver/overcomplete.h"
#include "solver/span.h"

namespace orthodict {
namespace {

FitResult learn(const Samples& samples, const Options& asked) {
  if (asked.dictionary == Dictionary::kOvercomplete) return solver::fit_overcomplete(samples, asked);
  const Options resolved = solver::resolved(asked);
  return solver::learn(samples, resolved, std::string(name_of(resolved.method)),
                       resolved.method == Method::kAuto ? solver::run_auto : solver::run_msp);
}

}  // namespace

FitResult fit(const Samples& samples, const Options& options) {
  const Options asked = solver::with_dictionary_for(options, samples.dimension() / linalg::reals(samples.is_complex()));
  engine::Collective(options.ranks.get()).together([&] { asked.validate(); });
  if (samples.is_complex()) solver::refuse_for_complex(asked);
  FitResult result = learn(samples, asked);
  if (asked.orient.value_or(false)) solver::orient(samples, asked, &result.model);
  return result;
}

FitResult fit_on_group(const Matrix<double>& d_o, const Options& options) {
  Options with_msp = options;
  with_msp.method = Method::kMsp;
  return fit(*samples_in_columns(d_o), with_msp);
}

}  // namespace orthodict
