// SPDX-License-Identifier: Apache-2.0
#include "report/subset.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <utility>

#include "orthodict/error.h"
#include "random/stream.h"

namespace orthodict::report {
namespace {

constexpr Index kMostSamples = 20000;
constexpr Index kMostValues = Index{1} << 24;
constexpr double kLargest = 1e140;  // larger values could make sums of squares infinite
constexpr std::uint64_t kSeed = 0;

void check_row(const Samples& samples, Index row, const Eigen::Ref<const Vector<double>>& sample) {
  const auto refuse = [&](const std::string& what) {
    return data_error(samples.name(), fmt::format("row {} (counting from 0) has values that {}", row, what));
  };
  if (!sample.allFinite()) throw refuse("aren't finite");
  if (sample.cwiseAbs().maxCoeff() > kLargest) throw refuse("are too large: their squares overflow; rescale the data");
}

}  // namespace

std::unique_ptr<Samples> view_columns(const Matrix<double>& columns, bool is_complex) {
  if (!is_complex) return samples_in_columns(columns);
  const Index features = columns.rows() / 2;
  return view_samples(ElementType::kC128, columns.data(), features, columns.cols(), features, 1);
}

Matrix<double> moduli(const Matrix<double>& interleaved) {
  const auto* const numbers = reinterpret_cast<const std::complex<double>*>(interleaved.data());
  return Eigen::Map<const Matrix<std::complex<double>>>(numbers, interleaved.rows() / 2, interleaved.cols()).cwiseAbs();
}

Subset draw_subset(const Samples& samples, Index atoms, const Progress& progress) {
  const Index n = samples.dimension();
  const Index most = std::clamp(kMostValues / std::max(n, atoms), Index{1}, kMostSamples);
  const Index count = std::min(samples.size(), most);
  const random::Permutation order(samples.size(), random::Stream(kSeed, random::Purpose::kSubsample));
  std::vector<std::pair<Index, Index>> places;  // (row, column) pairs, read in the order of the file
  places.reserve(static_cast<std::size_t>(count));
  Subset subset{Matrix<double>(n, count), std::vector<Index>(static_cast<std::size_t>(count))};
  for (Index j = 0; j < count; ++j) {
    const Index row = order[j];
    subset.rows[static_cast<std::size_t>(j)] = row;
    places.emplace_back(row, j);
  }
  std::sort(places.begin(), places.end());

  Vector<double> scratch(n);
  Index done = 0;
  for (const auto& [row, column] : places) {
    const Block<double> block = samples.block(row, 1, scratch.data());
    auto sample = subset.samples.col(column);
    sample = Eigen::Map<const Vector<double>>(block.data, n);
    check_row(samples, row, sample);
    if (++done % 1024 == 0) progress("samples", done, count);
  }
  return subset;
}

}  // namespace orthodict::report
