// SPDX-License-Identifier: Apache-2.0
#include "baselines/pca.h"

#include <utility>

#include "baselines/common.h"
#include "linalg/complex.h"
#include "linalg/lapack.h"
#include "solver/canonical.h"
#include "solver/coordinates.h"

namespace orthodict::baselines {

FitResult fit_pca(const Samples& samples, const Options& options) {
  validate(options, "pca", false);
  Options centred = options;
  centred.center = options.center.value_or(true);
  solver::Run run(samples, centred, "pca");
  const bool is_complex = samples.is_complex();
  const Index reals = linalg::reals(is_complex);
  const engine::Moments moments = measure(run, samples.dimension() / reals);
  run.summary().dictionary = Dictionary::kOrthogonal;
  const Matrix<double> second_moment =
      is_complex ? linalg::complex_products(moments.second_moment) : moments.second_moment;
  const linalg::SymmetricEigen eigen = linalg::eigen(second_moment, is_complex);
  const Vector<double> values = is_complex ? linalg::one_of_two(eigen.values) : eigen.values;
  const auto share = options.atoms ? options.atoms->share() : std::nullopt;
  const Index atoms = share ? solver::number_for_share(*share, values.cwiseMax(0).reverse()) : run.summary().atoms;
  run.summary().objective = values.tail(atoms).sum();
  const RowMatrix<double> components = eigen.vectors.rightCols(atoms * reals).transpose();
  Model model;
  model.is_complex = is_complex;
  model.mean = moments.mean;
  model.dictionary = is_complex ? linalg::without_multiples_by_i(components) : components;
  model.analysis = solver::analysis_of_orthogonal(model);
  solver::make_canonical(second_moment, &model);
  model.analysis = solver::analysis_of_orthogonal(model);
  return run.finish(Termination::kConverged, std::move(model));
}

}  // namespace orthodict::baselines
