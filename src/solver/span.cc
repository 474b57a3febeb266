// SPDX-License-Identifier: Apache-2.0
#include "solver/span.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/lane_plan.h"
#include "engine/moments.h"
#include "linalg/blas.h"
#include "linalg/complex.h"
#include "linalg/lapack.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "random/stream.h"
#include "solver/canonical.h"
#include "solver/copies.h"
#include "solver/decide.h"
#include "solver/metadata.h"
#include "solver/options.h"
#include "solver/rank_agreement.h"

namespace orthodict::solver {
namespace {

// An orthogonal dictionary for up to this many features is always learned in the coordinates of the data; a square
// matrix of this size has 32 MiB.
constexpr Index kMostSquare = 2048;

// The mean of the samples, and their centred p×p Gram matrix divided by p, which has the same nonzero eigenvalues as
// the covariance.
engine::Moments moments_of(const Matrix<double>& y) {
  const Vector<double> mean = y.rowwise().mean();
  const Matrix<double> centred = y.colwise() - mean;
  return {mean, linalg::multiply(centred, linalg::Op::kTranspose, centred, linalg::Op::kNone) /
                    static_cast<double>(y.cols())};
}

// The kind of dictionary to learn in the span of the samples; nothing if learning in the span has no advantage.
std::optional<Dictionary> dictionary_in_span(const Samples& samples, const Options& options, const Matrix<double>& y,
                                             engine::Collective& collective) {
  Dictionary dictionary = dictionary_of(options);
  if (dictionary == Dictionary::kAuto) {
    const random::Permutation order(samples.size(), random::Stream(options.seed, random::Purpose::kSubsample));
    const bool spherical = is_spherical(moments_of(y), samples, order, collective);
    dictionary = spherical ? Dictionary::kOrthogonal : Dictionary::kComplete;
  }
  const bool is_large = options.atoms && samples.dimension() > kMostSquare;
  return dictionary == Dictionary::kComplete || is_large ? std::optional(dictionary) : std::nullopt;
}

// Whether learning in the span may have an advantage.
bool is_wide(const Samples& samples, const Options& options) {
  const Index features = samples.dimension() / linalg::reals(samples.is_complex());
  if (samples.size() < 1 || samples.size() >= features) return false;
  const bool is_large = options.atoms && features > kMostSquare;
  return dictionary_of(options) != Dictionary::kOrthogonal || is_large;
}

void require_start(const Samples& samples, const Options& options) {
  if (options.init != Initialization::kGiven) return;
  const RowMatrix<double>& given = options.initial_dictionary;
  const Index atoms = (options.atoms ? options.atoms->count() : std::nullopt).value_or(given.rows());
  if (given.rows() == atoms && given.cols() == samples.dimension()) return;
  throw option_error("initial_dictionary", fmt::format("{}×{}", given.rows(), given.cols()),
                     fmt::format("atoms × dimension, {}×{}", atoms, samples.dimension()));
}

// Decides about centring here, because the decision depends on the variances of the data's own features.
std::optional<bool> center_in_span(const Options& options, const Matrix<double>& y) {
  if (options.center || options.method != Method::kAuto) return options.center;
  return dictionary_of(options) != Dictionary::kOrthogonal && is_mean_significant(y);
}

Options options_in_span(const Options& options, Dictionary dictionary, std::optional<bool> center, const Span& span) {
  Options in_span = options;
  if (options.method == Method::kAuto) in_span.dictionary = dictionary;
  in_span.center = center;
  if (options.init == Initialization::kGiven) in_span.initial_dictionary = span.project(options.initial_dictionary);
  if (options.callback) {
    in_span.callback = [&](const Iterate& iterate) {
      const std::function<Model()> model = [&] { return span.lift(iterate.model()); };
      return options.callback(Iterate(iterate.record(), model));
    };
  }
  return in_span;
}

}  // namespace

Matrix<double> gather(const Samples& samples, engine::Collective& collective, const std::stop_token& stop) {
  const Index n = samples.dimension(), p = samples.size();
  const engine::LaneShares shares(samples, collective.count());
  const auto owner = [&](Index i) { return shares.owner_of_sample(i); };
  Matrix<double> y;
  const bool stopped = collective.any([&] {
    // Memory for the samples and up to two copies.
    const auto bytes = memory::array_bytes(std::array<Index, 3>{n, p, 3}, sizeof(double));
    memory::require_memory(samples.name(), bytes.value_or(std::numeric_limits<std::size_t>::max()));
    memory::require_memory_left(samples.name(), *bytes);
    y.resize(n, p);
    for (Index j = 0; j < p && !stop.stop_requested(); ++j) {
      if (owner(j) != collective.rank()) continue;
      const Block<double> block = samples.block(j, 1, y.col(j).data());
      if (block.data != y.col(j).data()) std::copy_n(block.data, n, y.col(j).data());
    }
    return stop.stop_requested();
  });
  if (stopped) throw Error(Fault::kStopped, "interrupted before the first pass over the data was complete");
  collective.share(std::as_writable_bytes(std::span(y.data(), static_cast<std::size_t>(y.size()))),
                   sizeof(double) * static_cast<std::size_t>(n), owner);
  for (Index j = 0; j < p; ++j) {
    if (!y.col(j).allFinite()) engine::report_bad_sample(samples, j, y.col(j));
  }
  return y;
}

Span::Span(Matrix<double> y, const std::string& name) {
  const std::vector<Index> first = first_equal(y);
  linalg::Qr qr = linalg::qr(std::move(y));
  basis_ = std::move(qr.q);
  coordinates_ = std::move(qr.r);
  const Index p = coordinates_.cols();
  // Copies stay equal to the bit.
  for (Index j = 0; j < p; ++j) coordinates_.col(j) = coordinates_.col(first[static_cast<std::size_t>(j)]);
  samples_ = view_samples(ElementType::kF64, coordinates_.data(), p, p, p, 1, name);
}

RowMatrix<double> Span::project(const RowMatrix<double>& dictionary) const {
  return linalg::multiply<double>(dictionary, basis_);
}

Model Span::lift(Model model) const {
  const auto lifted = [this](const RowMatrix<double>& rows) {
    return linalg::multiply<double>(rows, linalg::Op::kNone, basis_, linalg::Op::kTranspose);
  };
  model.dictionary = lifted(model.dictionary);
  model.analysis = lifted(model.analysis);
  model.mean = basis_ * model.mean;
  make_signs_canonical(&model);
  return model;
}

FitResult learn(const Samples& samples, const Options& options, const std::string& method,
                const std::function<FitResult(Run&)>& run_method) {
  const auto start = std::chrono::steady_clock::now();
  const auto as_they_are = [&] {
    Run run(samples, options, method, start);
    return run_method(run);
  };
  if (!is_wide(samples, options)) return as_they_are();
  if (samples.is_complex()) {
    throw data_error(
        samples.name(),
        fmt::format("{} complex samples of {} features: at least as many samples as features are needed, or "
                    "an orthogonal dictionary",
                    samples.size(), samples.dimension() / 2));
  }
  engine::Collective collective(options.ranks.get());
  require_same_question(collective, options, samples);
  collective.together([&] { require_start(samples, options); });
  Matrix<double> y = gather(samples, collective, options.stop);
  const auto dictionary = dictionary_in_span(samples, options, y, collective);
  if (!dictionary) return as_they_are();
  const std::optional<bool> center = center_in_span(options, y);
  const Span span(std::move(y), samples.name());
  const Options in_span = options_in_span(options, *dictionary, center, span);
  Run run(span.samples(), in_span, method, start);
  FitResult result = run_method(run);
  result.model = span.lift(std::move(result.model));
  result.summary.dimension = samples.dimension();
  result.summary.sample_shape = samples.sample_shape();
  result.summary.message = describe_outcome(options, result.summary);
  result.model.metadata = make_metadata(options, result.summary);
  return result;
}

}  // namespace orthodict::solver
