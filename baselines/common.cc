// SPDX-License-Identifier: Apache-2.0
#include "baselines/common.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "random/stream.h"
#include "solver/canonical.h"
#include "solver/coordinates.h"
#include "solver/field_values.h"
#include "solver/option_fields.h"
#include "solver/options.h"

namespace orthodict::baselines {
namespace {

// Scales atoms to unit norm. Zero atoms become directions outside the span of the others, taken from the rest of an SVD
// basis.
Matrix<double> unit_atoms(const Matrix<double>& dictionary) {
  Matrix<double> atoms = dictionary;
  for (Index i = 0; i < atoms.cols(); ++i) atoms.col(i).stableNormalize();
  Index next = atoms.cols();
  Matrix<double> basis;
  for (Index i = 0; i < atoms.cols(); ++i) {
    if (!atoms.col(i).isZero(0)) continue;
    if (basis.size() == 0) basis = linalg::svd(atoms).u;
    atoms.col(i) = basis.col(--next);
  }
  return atoms;
}

}  // namespace

void validate(const Options& options, const std::string& method, bool whitens) {
  const std::string left_out = fmt::format("left out with method {}", method);
  solver::for_each_option([&](const auto& field) {
    using solver::HeldBy;
    const bool is_held = field.held_by == HeldBy::kAll || (field.held_by == HeldBy::kAllThatWhiten && whitens);
    if (is_held || solver::is_default(field, options)) return;
    throw option_error(std::string(field.name), solver::text_of(options.*field.member), left_out);
  });
  if (options.precision.value_or(Precision::kF64) != Precision::kF64) {
    throw option_error("precision", solver::text_of(options.precision), left_out);
  }
  if (!whitens && options.atoms && options.atoms->share() && method != "pca") {
    throw option_error("atoms", options.atoms->text(), fmt::format("an integer ≥ 1 with method {}", method));
  }
  Options plain = options;
  plain.method = Method::kMsp;
  plain.validate();
}

void require_real(const Samples& samples, const std::string& method) {
  if (!samples.is_complex()) return;
  throw option_error("method", method,
                     fmt::format("auto, msp or fastica for the complex samples of {}", samples.name()));
}

Matrix<double> copy_samples(const Samples& samples, const Vector<double>& mean) {
  const Index n = samples.dimension();
  const Index p = samples.size();
  memory::require_memory(samples.name(), sizeof(double) * static_cast<std::size_t>(n) * static_cast<std::size_t>(p));
  Matrix<double> y(n, p);
  constexpr Index kBlock = 1024;
  for (Index first = 0; first < p; first += kBlock) {
    const Index count = std::min(kBlock, p - first);
    const Block<double> block = samples.block(first, count, y.data() + first * n);
    for (Index j = 0; j < count; ++j) {
      y.col(first + j) = Eigen::Map<const Vector<double>>(block.data + j * block.stride, n) - mean;
    }
  }
  return y;
}

Model model_of(const Matrix<double>& dictionary, const Vector<double>& mean, const Matrix<double>& second_moment) {
  const Matrix<double> atoms = unit_atoms(dictionary);
  const linalg::Svd<double> svd = linalg::svd(atoms);
  const Vector<double>& s = svd.singular_values;
  // Singular values at the level of rounding count as zero.
  const double least = s[0] * 1e-14 * static_cast<double>(atoms.rows());
  const Vector<double> inverse = s.unaryExpr([least](double value) { return value > least ? 1 / value : 0; });
  Model model;
  model.mean = mean;
  model.dictionary = atoms.transpose();
  model.analysis = linalg::multiply<double>(svd.vt.transpose() * inverse.asDiagonal(), linalg::Op::kNone, svd.u,
                                            linalg::Op::kTranspose);
  solver::make_canonical(second_moment, &model);
  return model;
}

engine::Moments measure(solver::Run& run) {
  Summary& summary = run.summary();
  summary.center = run.options().center.value_or(false);
  engine::Moments moments = run.measure(summary.center);
  const solver::Coordinates coordinates(moments, run.samples().name(), {.center = summary.center});
  run.describe_data(coordinates);
  summary.atoms = atoms_of(run);
  summary.dictionary = Dictionary::kComplete;
  summary.tolerance = std::max(run.options().tolerance.value_or(solver::kTolerance),
                               solver::rounding_noise(Precision::kF64, coordinates));
  if (!summary.center) moments.mean.setZero();
  return moments;
}

Index atoms_of(const solver::Run& run) {
  const Index n = run.samples().dimension();
  const Index atoms = run.options().atoms.value_or(n).count().value_or(n);
  if (atoms > n)
    throw option_error("atoms", fmt::format("{}", atoms),
                       fmt::format("1 … {}, the features of {}", n, run.samples().name()));
  return atoms;
}

Matrix<double> start_dictionary(const solver::Run& run) {
  const Options& options = run.options();
  const Index n = run.samples().dimension();
  const Index atoms = atoms_of(run);
  const Initialization init = solver::init_of(options);
  if (init == Initialization::kIdentity) return Matrix<double>::Identity(n, atoms);
  if (init == Initialization::kRandom) {
    const random::Stream stream(options.seed, random::Purpose::kInitialization);
    return random::orthogonal(n, stream).topRows(atoms).transpose();
  }
  const RowMatrix<double>& given = options.initial_dictionary;
  if (given.rows() != atoms || given.cols() != n) {
    throw option_error("initial_dictionary", fmt::format("{}×{}", given.rows(), given.cols()),
                       fmt::format("atoms × dimension, {}×{}", atoms, n));
  }
  Matrix<double> start = given.transpose();
  for (Index j = 0; j < atoms; ++j) start.col(j).stableNormalize();
  const bool has_zero = (start.colwise().squaredNorm().array() < 0.5).any();
  if (has_zero || !start.allFinite()) {
    throw option_error("initial_dictionary", "zero, NaN or infinite atoms", "finite and nonzero in every atom");
  }
  return start;
}

Alternation::Alternation(solver::Run& run,
                         const std::function<std::size_t(Index features, Index atoms)>& bytes_per_sample)
    : run_(run),
      options_(run.options()),
      moments_(measure(run)),
      n_(run.samples().dimension()),
      p_(run.samples().size()),
      atoms_(run.summary().atoms),
      d_(start_dictionary(run)) {
  memory::require_memory(run.samples().name(), bytes_per_sample(n_, atoms_) * static_cast<std::size_t>(p_));
  y_ = copy_samples(run.samples(), moments_.mean);
  y_ /= run.summary().rms;
}

bool Alternation::record(int iteration, double objective, std::optional<double> step, Index samples) {
  return run_.record(
      {.iteration = iteration, .objective = objective, .step = step, .stage = Stage::kBaseline, .samples = samples},
      [this] { return model(); });
}

}  // namespace orthodict::baselines
