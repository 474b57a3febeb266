// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orthodict::soak {
namespace {

// FNV-1a.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t hash = 0xcbf29ce484222325U) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  return hash;
}

template <typename Derived>
std::uint64_t hash_values(const Derived& values, std::uint64_t hash) {
  return hash_bytes(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double), hash);
}

// The largest entry of |I − left·rightᵀ| in units of the rounding error of sums of n products of this size.
double excess_of_identity(const RowMatrix<double>& left, const RowMatrix<double>& right, double epsilon) {
  const Matrix<double> product = left * right.transpose();
  const double error = (product - Matrix<double>::Identity(left.rows(), left.rows())).cwiseAbs().maxCoeff();
  const double size = left.norm() * right.norm() / static_cast<double>(left.rows());
  return error / (static_cast<double>(left.cols()) * epsilon * std::max(size, 1.0));
}

// 100: the error of a projection is a modest multiple of n·ε, as usual for LAPACK.
std::string check_atoms(const Model& model, const Summary& summary) {
  constexpr double kModest = 100;
  const double epsilon = summary.precision == Precision::kF32 ? std::numeric_limits<float>::epsilon()
                                                              : std::numeric_limits<double>::epsilon();
  const double unit = (model.dictionary.rowwise().norm().array() - 1).abs().maxCoeff();
  if (!(unit <= kModest * std::numeric_limits<double>::epsilon())) return fmt::format("norms are off 1 by {}", unit);
  if (summary.dictionary == Dictionary::kOrthogonal && model.atoms() <= model.dimension()) {
    const double excess = excess_of_identity(model.dictionary, model.dictionary, epsilon);
    if (!(excess <= kModest)) return fmt::format("atoms aren't orthonormal, by {} n·ε", excess);
    if (model.analysis != model.dictionary) return "analysis differs from an orthogonal dictionary";
  }
  const double excess = excess_of_identity(model.analysis, model.dictionary, epsilon);
  if (!(excess <= kModest)) return fmt::format("analysis doesn't invert the dictionary, by {} n·ε", excess);
  const auto& confidence = model.confidence.array();
  if (confidence.size() > 0 && !(confidence >= 0 && confidence <= 1).all()) return "a confidence outside [0, 1]";
  if ((confidence >= 0.5).count() != summary.established) return "established atoms are miscounted";
  return "";
}

std::string check_termination(const Summary& summary, const Options& options) {
  const bool can_stop = options.callback || options.stop.stop_possible();
  if (summary.termination == Termination::kStopped && !can_stop) return "stopped by nobody";
  if (summary.termination == Termination::kTimeLimit && !options.time_limit) return "no time limit was set";
  if (options.max_iterations && summary.iterations > *options.max_iterations) return "more iterations than allowed";
  if (summary.message.empty() || summary.brief_report().empty() || summary.full_report().empty()) return "says nothing";
  int last = -1;
  for (const IterationRecord& record : summary.history) {
    if (record.iteration < last || record.iteration > summary.iterations) return "iterations out of order";
    if (!std::isfinite(record.objective) || !std::isfinite(record.step.value_or(0))) {
      return fmt::format("iteration {} ({}) has objective {} and step {}", record.iteration, name_of(record.stage),
                         record.objective, record.step.value_or(0));
    }
    last = record.iteration;
  }
  return "";
}

// A location is within √(3n) standard deviations of the mean of what it was found on, which may be four fifths of the
// samples: √n·(√(15/4) + ½) of theirs.
std::string check_mean(const Model& model, const Summary& summary, const Samples& samples) {
  if (!summary.center) return model.mean.isZero(0) ? "" : "not centred, yet with a mean";
  const Matrix<double> y = values_of(samples);
  const Vector<double> mean = y.rowwise().mean();
  const double deviation =
      std::sqrt((y.colwise() - mean).rowwise().squaredNorm().maxCoeff() / static_cast<double>(y.cols()));
  const double furthest =
      2.5 * std::sqrt(static_cast<double>(y.rows())) * deviation + 1e-9 * mean.cwiseAbs().maxCoeff();
  const double off = (model.mean - mean).cwiseAbs().maxCoeff();
  return off <= furthest ? "" : fmt::format("the mean is off by {}, where samples deviate by {}", off, deviation);
}

std::string check_codes(const Model& model, const Samples& samples) {
  const RowMatrix<double> codes = encode(model, samples, 0, std::min<Index>(samples.size(), 4));
  return codes.allFinite() ? "" : "codes aren't finite";
}

}  // namespace

std::uint64_t hash_of(std::string_view text) { return hash_bytes(text.data(), text.size()); }

std::uint64_t hash_of(const Model& model) {
  std::uint64_t hash = hash_of(model.metadata);
  hash = hash_values(model.dictionary, hash);
  hash = hash_values(model.analysis, hash);
  hash = hash_values(model.mean, hash);
  return hash_values(model.confidence, hash);
}

Matrix<double> values_of(const Samples& samples) {
  Matrix<double> scratch(samples.dimension(), samples.size());
  const Block<double> block = samples.block(0, samples.size(), scratch.data());
  return Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(block.data, scratch.rows(), scratch.cols(),
                                                                   Eigen::OuterStride<>(block.stride));
}

std::string inconsistency(const FitResult& result, const Samples& samples, const Options& options) {
  const auto& [model, summary] = result;
  model.validate("model");
  if (model.atoms() != summary.atoms || model.atoms() < 1) return "atoms are miscounted";
  if (model.dimension() != samples.dimension() || summary.dimension != samples.dimension()) return "other dimension";
  if (summary.samples != samples.size()) return "other number of samples";
  if (summary.rank < 1 || summary.rank > std::min(samples.dimension(), samples.size())) return "impossible rank";
  if (options.atoms && model.atoms() != *options.atoms) return "other number of atoms than asked for";
  if (std::string what = check_atoms(model, summary); !what.empty()) return what;
  if (std::string what = check_termination(summary, options); !what.empty()) return what;
  if (std::string what = check_mean(model, summary, samples); !what.empty()) return what;
  return check_codes(model, samples);
}

}  // namespace orthodict::soak
