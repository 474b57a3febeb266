// SPDX-License-Identifier: Apache-2.0
#include "baselines/pca.h"

#include <utility>

#include "baselines/common.h"
#include "linalg/lapack.h"
#include "solver/coordinates.h"

namespace orthodict::baselines {

FitResult fit_pca(const Samples& samples, const Options& options) {
  validate(options, "pca", false);
  require_real(samples, "pca");
  Options centred = options;
  centred.center = options.center.value_or(true);
  solver::Run run(samples, centred, "pca");
  const engine::Moments moments = measure(run, run.samples().dimension());
  run.summary().dictionary = Dictionary::kOrthogonal;
  const linalg::SymmetricEigen eigen = linalg::symmetric_eigen(moments.second_moment);
  const auto share = options.atoms ? options.atoms->share() : std::nullopt;
  const Index atoms =
      share ? solver::number_for_share(*share, eigen.values.cwiseMax(0).reverse()) : run.summary().atoms;
  run.summary().objective = eigen.values.tail(atoms).sum();
  Model model = model_of(eigen.vectors.rightCols(atoms), moments.mean, moments.second_moment);
  model.analysis = model.dictionary;
  return run.finish(Termination::kConverged, std::move(model));
}

}  // namespace orthodict::baselines
