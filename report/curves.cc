// SPDX-License-Identifier: Apache-2.0
#include "report/curves.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "orthodict/complex.h"
#include "report/pack.h"
#include "report/subset.h"

namespace orthodict::report {
namespace {

Matrix<double> codes_of(const Model& model, const Matrix<double>& samples) {
  return encode(model, *view_columns(samples, model.is_complex)).transpose();
}

// Atoms by the size of their coefficients in a code.
std::vector<Index> by_falling_size(const Vector<double>& code, bool is_complex) {
  const Vector<double> z = is_complex ? Vector<double>(moduli(code)) : code;
  std::vector<Index> order(static_cast<std::size_t>(z.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&z](Index a, Index b) {
    return std::abs(z[a]) != std::abs(z[b]) ? std::abs(z[a]) > std::abs(z[b]) : a < b;
  });
  return order;
}

// Adds `factor` times what a code has of an atom.
void add_part(const Model& model, Index atom, const Vector<double>& code, double factor, Vector<double>* x) {
  if (!model.is_complex) {
    *x += factor * code[atom] * model.dictionary.row(atom).transpose();
    return;
  }
  const Vector<std::complex<double>> part =
      factor * as_complex(code)[atom] * as_complex(model.dictionary).row(atom).transpose();
  *x += Eigen::Map<const Vector<double>>(reinterpret_cast<const double*>(part.data()), x->size());
}

// What is drawn of a sample: its values, or their moduli.
Vector<double> drawn(const Vector<double>& x, bool is_complex) { return is_complex ? Vector<double>(moduli(x)) : x; }

struct Range {
  double low;
  double high;
};

Range range_of(const Matrix<double>& values) { return {values.minCoeff(), values.maxCoeff()}; }

// Moduli are drawn from zero.
Range with_margin(const Range& range, bool is_complex) {
  const double margin = 0.1 * (range.high - range.low);
  return {is_complex ? 0 : range.low - margin, range.high + margin};
}

// The items reconstructed by one model.
struct Side {
  std::vector<std::uint8_t> bytes;
  Json errors = Json::array();  // one array per item, one error per level
};

void append_item(const Model& model, const Vector<double>& x, const Vector<double>& z, double norm,
                 const std::vector<Index>& levels, const ByteScale& scale, Side* side) {
  const std::vector<Index> order = by_falling_size(z, model.is_complex);
  Vector<double> back = model.mean;
  Json errors = Json::array();
  Index kept = 0;
  for (const Index level : levels) {
    for (; kept < std::min(level, model.atoms()); ++kept) {
      add_part(model, order[static_cast<std::size_t>(kept)], z, 1, &back);
    }
    scale.append(drawn(back, model.is_complex), &side->bytes);
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
    const Vector<double> code = codes.col(j);
    for (const Index atom : by_falling_size(code, model.is_complex)) {
      add_part(model, atom, code, -1, &rest);
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
  const bool is_complex = model.is_complex;
  for (Index j = 0; j < samples.cols(); ++j) {
    const Vector<double> x = samples.col(j);
    const double norm = (x - model.mean).stableNorm();
    const auto [low, high] = pictures ? range_of(is_complex ? moduli(samples) : samples)
                                      : with_margin(range_of(drawn(x, is_complex)), is_complex);
    const ByteScale scale(low, high);
    lows.push_back(low);
    highs.push_back(high);
    scale.append(drawn(x, is_complex), &originals);
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
