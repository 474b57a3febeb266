// SPDX-License-Identifier: Apache-2.0
#include "scan/held_out.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "solver/selected_samples.h"

namespace orthodict {
namespace {

constexpr Index kFolds = 5;

struct Part {
  double share;
  engine::Moments moments;  // about zero
};

Part measure(const Samples& samples, Index fold, engine::Workers& workers, const std::stop_token& stop) {
  const Index p = samples.size(), first = fold * p / kFolds, end = (fold + 1) * p / kFolds;
  std::vector<Index> chosen(static_cast<std::size_t>(end - first));
  std::iota(chosen.begin(), chosen.end(), first);
  auto moments = engine::measure_moments(solver::SelectedSamples(samples, std::move(chosen)), false, workers, stop);
  if (!moments) throw Error(Fault::kStopped, "interrupted before the first look at the data was complete");
  return {static_cast<double>(end - first) / static_cast<double>(p), *std::move(moments)};
}

Matrix<double> covariance_of(const Vector<double>& mean, const Matrix<double>& second) {
  return second - mean * mean.transpose();
}

}  // namespace

HeldOut::HeldOut(const Samples& samples, engine::Workers& workers, const std::stop_token& stop) {
  const Index n = samples.dimension(), p = samples.size();
  if (p < kFolds)
    throw data_error(samples.name(), "too few samples to compare numbers of atoms: at least 5 are needed");
  if (p - (p + kFolds - 1) / kFolds <= n) return;
  const auto bytes =
      memory::array_bytes(std::array<Index, 3>{n, n, kFolds + 4 + Index{workers.count()}}, sizeof(double));
  memory::require_memory(samples.name(), bytes.value_or(std::numeric_limits<std::size_t>::max()));
  std::vector<Part> parts;
  Vector<double> mean = Vector<double>::Zero(n);
  Matrix<double> second = Matrix<double>::Zero(n, n);
  for (Index fold = 0; fold < kFolds; ++fold) {
    parts.push_back(measure(samples, fold, workers, stop));
    mean += parts.back().share * parts.back().moments.mean;
    second += parts.back().share * parts.back().moments.second_moment;
  }
  for (const auto& [share, own] : parts) {
    const Vector<double> others = (mean - share * own.mean) / (1 - share);
    const linalg::SymmetricEigen eigen =
        linalg::symmetric_eigen(covariance_of(others, (second - share * own.second_moment) / (1 - share)));
    const Matrix<double> cross = own.mean * others.transpose();
    const Matrix<double> about = own.second_moment - cross - cross.transpose() + others * others.transpose();
    const Vector<double> variances =
        linalg::multiply(about, eigen.vectors).cwiseProduct(eigen.vectors).colwise().sum().transpose();
    folds_.push_back({share, eigen.values.reverse(), variances.reverse()});
  }
}

std::optional<double> HeldOut::log_likelihood(Index k) const {
  if (folds_.empty() || k >= folds_.front().values.size()) return std::nullopt;
  double total = 0;
  for (const Fold& fold : folds_) {
    const Index rest = fold.values.size() - k;
    const double noise = fold.values.tail(rest).sum() / static_cast<double>(rest);
    const double rounding =
        static_cast<double>(fold.values.size()) * std::numeric_limits<double>::epsilon() * fold.values[0];
    if (!(noise > rounding && fold.values[k > 0 ? k - 1 : 0] > rounding)) return std::nullopt;
    const auto kept = fold.values.head(k).array();
    const double log_determinant = kept.log().sum() + static_cast<double>(rest) * std::log(noise);
    const double squares = (fold.variances.head(k).array() / kept).sum() + fold.variances.tail(rest).sum() / noise;
    const double constant = static_cast<double>(fold.values.size()) * std::log(2 * std::numbers::pi);
    total -= fold.share * (constant + log_determinant + squares) / 2;
  }
  return total;
}

}  // namespace orthodict
