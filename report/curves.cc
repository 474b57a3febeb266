// SPDX-License-Identifier: Apache-2.0
#include "report/curves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/pack.h"

namespace orthodict::report {
namespace {

Matrix<double> codes_of(const Model& model, const Matrix<double>& samples) {
  return encode(model, *samples_in_columns(samples)).transpose();
}

std::vector<Index> by_falling_size(const Eigen::Ref<const Vector<double>>& z) {
  std::vector<Index> order(static_cast<std::size_t>(z.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&z](Index a, Index b) {
    return std::abs(z[a]) != std::abs(z[b]) ? std::abs(z[a]) > std::abs(z[b]) : a < b;
  });
  return order;
}

struct Range {
  double low;
  double high;
};

Range range_of(const Matrix<double>& values) { return {values.minCoeff(), values.maxCoeff()}; }

Range with_margin(const Range& range) {
  const double margin = 0.1 * (range.high - range.low);
  return {range.low - margin, range.high + margin};
}

// The items reconstructed by one model.
struct Side {
  std::vector<std::uint8_t> bytes;
  Json errors = Json::array();  // one array per item, one error per level
};

void append_item(const Model& model, const Vector<double>& x, const Vector<double>& z, double norm,
                 const std::vector<Index>& levels, const ByteScale& scale, Side* side) {
  const std::vector<Index> order = by_falling_size(z);
  Vector<double> back = model.mean;
  Json errors = Json::array();
  Index kept = 0;
  for (const Index level : levels) {
    for (; kept < std::min(level, model.atoms()); ++kept) {
      const Index atom = order[static_cast<std::size_t>(kept)];
      back += z[atom] * model.dictionary.row(atom).transpose();
    }
    scale.append(back, &side->bytes);
    errors.push_back((x - back).stableNorm() / norm);
  }
  side->errors.push_back(errors);
}

}  // namespace

Vector<double> energy_left(const Model& model, const Matrix<double>& samples, const Progress& progress) {
  constexpr Index kBlock = 64;
  const Matrix<double> codes = codes_of(model, samples);
  Vector<double> left = Vector<double>::Zero(model.atoms() + 1);
  for (Index j = 0; j < samples.cols(); ++j) {
    if (j % kBlock == 0) progress("curve", j, samples.cols());
    Vector<double> rest = samples.col(j) - model.mean;
    left[0] += rest.squaredNorm();
    Index kept = 0;
    for (const Index atom : by_falling_size(codes.col(j))) {
      rest -= codes(atom, j) * model.dictionary.row(atom).transpose();
      left[++kept] += rest.squaredNorm();
    }
  }
  return left;
}

double energy_of(const Model& model, const Matrix<double>& samples) {
  return (samples.colwise() - model.mean).squaredNorm();
}

std::vector<Index> levels_of(Index atoms) {
  constexpr Index kEach = 32;
  std::vector<Index> levels;
  for (Index level = 1; level < atoms; level += level < kEach ? 1 : level / 8) levels.push_back(level);
  levels.push_back(atoms);
  return levels;
}

Json describe_items(const Model& model, const Model& pca, const Matrix<double>& samples, bool pictures) {
  Json lows = Json::array(), highs = Json::array();
  const std::vector<Index> levels = levels_of(model.atoms());
  const Matrix<double> codes = codes_of(model, samples);
  const Matrix<double> pca_codes = codes_of(pca, samples);
  std::vector<std::uint8_t> originals;
  Side ours, theirs;
  for (Index j = 0; j < samples.cols(); ++j) {
    const Vector<double> x = samples.col(j);
    const double norm = (x - model.mean).stableNorm();
    const auto [low, high] = pictures ? range_of(samples) : with_margin(range_of(x));
    const ByteScale scale(low, high);
    lows.push_back(low);
    highs.push_back(high);
    scale.append(x, &originals);
    append_item(model, x, codes.col(j), norm, levels, scale, &ours);
    append_item(pca, x, pca_codes.col(j), norm, levels, scale, &theirs);
  }
  return {{"levels", levels},
          {"low", lows},
          {"high", highs},
          {"originals", base64(originals)},
          {"model", {{"values", base64(ours.bytes)}, {"errors", ours.errors}}},
          {"pca", {{"values", base64(theirs.bytes)}, {"errors", theirs.errors}}}};
}

}  // namespace orthodict::report
