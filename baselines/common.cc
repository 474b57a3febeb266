// SPDX-License-Identifier: Apache-2.0
#include "baselines/common.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "coding/least_norm.h"
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

// Scales atoms to unit norm. Zero atoms become directions that the others have least of, the last of an SVD basis.
Matrix<double> unit_atoms(const Matrix<double>& dictionary) {
  Matrix<double> atoms = dictionary;
  for (Index i = 0; i < atoms.cols(); ++i) atoms.col(i).stableNormalize();
  Index taken = 0;
  Matrix<double> basis;
  for (Index i = 0; i < atoms.cols(); ++i) {
    if (!atoms.col(i).isZero(0)) continue;
    if (basis.size() == 0) basis = linalg::svd(atoms).u;
    atoms.col(i) = basis.col(basis.cols() - 1 - taken++ % basis.cols());
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
                     fmt::format("auto, msp, fastica or pca for the complex samples of {}", samples.name()));
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
  Model model;
  model.mean = mean;
  model.dictionary = unit_atoms(dictionary).transpose();
  if (model.atoms() > model.dimension()) {
    solver::make_signs_canonical(&model);
  } else {
    model.analysis = coding::least_norm_analysis(model.dictionary);
    solver::make_canonical(second_moment, &model);
  }
  return model;
}

namespace {

Index atoms_of(solver::Run& run, std::optional<Index> most) {
  const Index n = run.summary().dimension;
  const Index atoms = run.options().atoms.value_or(n).count().value_or(n);
  if (most && atoms > *most) {
    throw option_error("atoms", fmt::format("{}", atoms),
                       fmt::format("1 … {}, the features of {}", *most, run.samples().name()));
  }
  return atoms;
}

// Samples in random order, at unit norm, without zeros. Where they don't suffice, random directions follow.
Matrix<double> start_of_samples(const Matrix<double>& y, Index atoms, std::uint64_t seed) {
  const random::Stream stream(seed, random::Purpose::kInitialization);
  const random::Permutation order(y.cols(), stream);
  Matrix<double> start(y.rows(), atoms);
  Index found = 0;
  for (Index i = 0; i < y.cols() && found < atoms; ++i) {
    const auto sample = y.col(order[i]);
    if (!sample.isZero(0)) start.col(found++) = sample.stableNormalized();
  }
  for (; found < atoms; ++found) {
    for (Index i = 0; i < y.rows(); ++i) start(i, found) = stream.normal(found, i);
    start.col(found).normalize();
  }
  return start;
}

Matrix<double> start_given(const RowMatrix<double>& given, Index atoms, Index n) {
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

// Unit-norm atoms in columns, according to options.init. Throws Error that names what is unsuitable.
Matrix<double> start_dictionary(const Options& options, const Matrix<double>& y, Index atoms) {
  const Index n = y.rows();
  const Initialization init = solver::init_of(options);
  if (init == Initialization::kGiven) return start_given(options.initial_dictionary, atoms, n);
  if (init == Initialization::kIdentity) {
    if (atoms > n) throw option_error("init", "identity", "random or a file for more atoms than features");
    return Matrix<double>::Identity(n, atoms);
  }
  if (atoms > n) return start_of_samples(y, atoms, options.seed);
  const random::Stream stream(options.seed, random::Purpose::kInitialization);
  return random::orthogonal(n, stream).topRows(atoms).transpose();
}

}  // namespace

engine::Moments measure(solver::Run& run, std::optional<Index> most) {
  Summary& summary = run.summary();
  summary.center = run.options().center.value_or(false);
  engine::Moments moments = run.measure(summary.center);
  const solver::Coordinates coordinates(moments, run.samples().name(),
                                        {.center = summary.center, .is_complex = run.is_complex()});
  run.describe_data(coordinates);
  summary.atoms = atoms_of(run, most);
  summary.dictionary = summary.atoms > summary.dimension ? Dictionary::kOvercomplete : Dictionary::kComplete;
  summary.tolerance = std::max(run.options().tolerance.value_or(solver::kTolerance),
                               solver::rounding_noise(Precision::kF64, coordinates));
  if (!summary.center) moments.mean.setZero();
  return moments;
}

Alternation::Alternation(solver::Run& run,
                         const std::function<std::size_t(Index features, Index atoms)>& bytes_per_sample)
    : run_(run),
      options_(run.options()),
      moments_(measure(run, std::nullopt)),
      n_(run.samples().dimension()),
      p_(run.samples().size()),
      atoms_(run.summary().atoms) {
  memory::require_memory(run.samples().name(), bytes_per_sample(n_, atoms_) * static_cast<std::size_t>(p_));
  y_ = copy_samples(run.samples(), moments_.mean);
  y_ /= run.summary().rms;
  d_ = start_dictionary(options_, y_, atoms_);
}

Model Alternation::model(const std::string& coder) const {
  Model model = model_of(d_, moments_.mean, moments_.second_moment);
  if (atoms_ > n_) model.coder = coder;
  return model;
}

bool Alternation::record(int iteration, double objective, std::optional<double> step, Index samples,
                         const std::string& coder) {
  return run_.record(
      {.iteration = iteration, .objective = objective, .step = step, .stage = Stage::kBaseline, .samples = samples},
      [&] { return model(coder); });
}

}  // namespace orthodict::baselines
