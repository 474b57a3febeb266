// SPDX-License-Identifier: Apache-2.0
// Arithmetic here is exactly rounded and in a fixed order (no BLAS, no std::log), so that a seed gives the same bits on
// every platform.
#include "orthodict/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "orthodict/error.h"
#include "random/stream.h"

namespace orthodict {
namespace {

using random::Purpose;
using random::Stream;

// y += factor·x
void add_scaled(double factor, const double* x, Index n, double* y) {
  for (Index i = 0; i < n; ++i) y[i] += factor * x[i];
}

Matrix<double> multiply_in_order(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c = Matrix<double>::Zero(a.rows(), b.cols());
  for (Index j = 0; j < b.cols(); ++j) {
    for (Index k = 0; k < a.cols(); ++k) add_scaled(b(k, j), a.col(k).data(), a.rows(), c.col(j).data());
  }
  return c;
}

// condition^(−i/(n−1)) for i = 0 … n − 1. The ratio is found by bisection on its (n−1)-th power, without std::pow.
Vector<double> falling_singular_values(Index n, double condition) {
  Vector<double> values = Vector<double>::Ones(n);
  if (n < 2 || condition == 1) return values;
  const double last = 1 / condition;
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    double power = 1;
    for (Index j = 1; j < n; ++j) power *= middle;
    (power < last ? low : high) = middle;
  }
  for (Index i = 1; i < n; ++i) values[i] = values[i - 1] * high;
  values[n - 1] = last;
  return values;
}

// Atoms in rows.
RowMatrix<double> random_dictionary(Index n, double condition, std::uint64_t seed) {
  Matrix<double> u = random::orthogonal(n, Stream(seed, Purpose::kDictionaryLeft));
  if (condition == 1) return u.transpose();
  const Matrix<double> v = random::orthogonal(n, Stream(seed, Purpose::kDictionaryRight));
  u *= falling_singular_values(n, condition).asDiagonal();
  return multiply_in_order(u, v).transpose();
}

// Gaussian atoms at unit norm, in rows.
RowMatrix<double> gaussian_dictionary(Index atoms, Index n, std::uint64_t seed) {
  const Stream stream(seed, Purpose::kDictionaryLeft);
  RowMatrix<double> dictionary(atoms, n);
  for (Index j = 0; j < atoms; ++j) {
    double square = 0;
    for (Index i = 0; i < n; ++i) {
      dictionary(j, i) = stream.normal(j, i);
      square += dictionary(j, i) * dictionary(j, i);
    }
    const double norm = std::sqrt(square);
    for (Index i = 0; i < n; ++i) dictionary(j, i) /= norm;
  }
  return dictionary;
}

constexpr double kHalfRoot = 0.70710678118654752;  // √½

// y += factor·x for n complex numbers.
void add_scaled(std::complex<double> factor, const double* x, Index n, double* y) {
  const double re = factor.real(), im = factor.imag();
  for (Index i = 0; i < 2 * n; i += 2) {
    y[i] += re * x[i] - im * x[i + 1];
    y[i + 1] += re * x[i + 1] + im * x[i];
  }
}

// Σ x̄_i·y_i in a fixed order.
std::complex<double> product(const double* x, const double* y, Index n) {
  double re = 0, im = 0;
  for (Index i = 0; i < 2 * n; i += 2) {
    re += x[i] * y[i] + x[i + 1] * y[i + 1];
    im += x[i] * y[i + 1] - x[i + 1] * y[i];
  }
  return {re, im};
}

// A Haar-distributed unitary matrix: Gaussian rows, orthogonalised twice, in order.
RowMatrix<double> random_unitary(Index n, Stream stream) {
  RowMatrix<double> rows(n, 2 * n);
  for (Index j = 0; j < n; ++j) {
    double* row = rows.row(j).data();
    for (Index i = 0; i < 2 * n; ++i) row[i] = stream.normal(j, i);
    for (int round = 0; round < 2; ++round) {
      for (Index k = 0; k < j; ++k) {
        add_scaled(-product(rows.row(k).data(), row, n), rows.row(k).data(), n, row);
      }
      const double norm = std::sqrt(product(row, row, n).real());
      for (Index i = 0; i < 2 * n; ++i) row[i] /= norm;
    }
  }
  return rows;
}

// Complex atoms in rows.
RowMatrix<double> random_complex_dictionary(Index n, double condition, std::uint64_t seed) {
  const RowMatrix<double> u = random_unitary(n, Stream(seed, Purpose::kDictionaryLeft));
  if (condition == 1) return u;
  const RowMatrix<double> v = random_unitary(n, Stream(seed, Purpose::kDictionaryRight));
  const Vector<double> values = falling_singular_values(n, condition);
  RowMatrix<double> dictionary = RowMatrix<double>::Zero(n, 2 * n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      const std::complex<double> factor(u(i, 2 * k) * values[k], u(i, 2 * k + 1) * values[k]);
      add_scaled(factor, v.row(k).data(), n, dictionary.row(i).data());
    }
  }
  return dictionary;
}

// (j + 1)^(−s) for a multiple s of one half, without std::pow.
double frequency_of(Index j, double s) {
  const auto place = static_cast<double>(j + 1);
  double weight = 1;
  for (double left = s; left >= 1; left -= 1) weight /= place;
  return s == std::trunc(s) ? weight : weight / std::sqrt(place);
}

void add_up(std::size_t node, std::vector<double>* tree) { (*tree)[node] = (*tree)[2 * node] + (*tree)[2 * node + 1]; }

// The atoms' frequencies as leaves of a binary tree, in which node i is the sum of the nodes 2i and 2i + 1.
std::vector<double> frequency_tree(Index atoms, double s) {
  const std::size_t leaves = std::bit_ceil(static_cast<std::size_t>(atoms));
  std::vector<double> tree(2 * leaves, 0.0);
  for (Index j = 0; j < atoms; ++j) tree[leaves + static_cast<std::size_t>(j)] = frequency_of(j, s);
  for (std::size_t node = leaves; --node > 0;) add_up(node, &tree);
  return tree;
}

// An atom in proportion to its frequency, for `uniform` in [0, 1); it is taken out of the tree, which mustn't be empty.
Index draw(double uniform, std::vector<double>* tree) {
  const std::size_t leaves = tree->size() / 2;
  double at = uniform * (*tree)[1];
  std::size_t node = 1;
  while (node < leaves) {
    const double left = (*tree)[2 * node];
    const bool goes_left = at < left || (*tree)[2 * node + 1] == 0;
    if (!goes_left) at -= left;
    node = 2 * node + (goes_left ? 0 : 1);
  }
  (*tree)[node] = 0;
  for (std::size_t above = node / 2; above > 0; above /= 2) add_up(above, tree);
  return static_cast<Index>(node - leaves);
}

void require(bool legal, const std::string& name, double value, const std::string& what) {
  if (!legal) throw option_error(name, fmt::format("{}", value), what);
}

}  // namespace

void SyntheticOptions::validate() const {
  require(dimension >= 1, "dimension", static_cast<double>(dimension), "an integer ≥ 1");
  require(samples >= 1, "samples", static_cast<double>(samples), "an integer ≥ 1");
  constexpr double kMostNumbers = 0x1p50;  // eight petabytes
  require(static_cast<double>(samples) * static_cast<double>(dimension) <= kMostNumbers, "samples",
          static_cast<double>(samples), "such that samples × dimension is at most 2^50");
  require(theta > 0 && theta <= 1, "theta", theta, "in (0, 1]");
  require(condition >= 1 && condition <= 1e12, "condition", condition, "in [1, 1e12]");
  require(!dictionary || condition == 1, "condition", condition, "1 (the default) if a dictionary is given");
  require(noise >= 0 && std::isfinite(noise), "noise", noise, "a finite number ≥ 0");
  require(outliers >= 0 && outliers <= 1, "outliers", outliers, "in [0, 1]");
  require(corruption >= 0 && corruption <= 1, "corruption", corruption, "in [0, 1]");
  const Index rows = atoms.value_or(dictionary ? dictionary->rows() : dimension);
  require(rows >= 1, "atoms", static_cast<double>(rows), "an integer ≥ 1");
  require(static_cast<double>(rows) * static_cast<double>(dimension) <= kMostNumbers, "atoms",
          static_cast<double>(rows), "such that atoms × dimension is at most 2^50");
  require(rows == dimension || condition == 1, "condition", condition,
          "1 (the default) unless atoms are as many as dimensions");
  const Index columns = is_complex ? 2 * dimension : dimension;
  if (dictionary && (dictionary->rows() != rows || dictionary->cols() != columns)) {
    throw option_error("dictionary", fmt::format("{}×{}", dictionary->rows(), dictionary->cols()),
                       fmt::format("atoms × dimension, {}×{}{}", rows, columns,
                                   is_complex ? ", two numbers for each complex one" : ""));
  }
  require(!is_complex || !signs, "signs", signs, "left out for complex samples");
  require(!is_complex || corruption == 0, "corruption", corruption, "left out for complex samples");
  if (nonzeros)
    require(*nonzeros >= 1 && *nonzeros <= rows, "nonzeros", static_cast<double>(*nonzeros),
            fmt::format("an integer from 1 to {}, the atoms", rows));
  require(frequencies >= 0 && frequencies <= 4 && 2 * frequencies == std::trunc(2 * frequencies), "frequencies",
          frequencies, "a multiple of 0.5 from 0 to 4");
  require(frequencies == 0 || nonzeros, "frequencies", frequencies, "given together with nonzeros");
  if (dictionary && !dictionary->allFinite()) {
    throw option_error("dictionary", "NaN or infinite entries", "finite");
  }
}

Synthetic::Synthetic(SyntheticOptions options) : options_(std::move(options)) {
  options_.validate();
  const Index n = options_.dimension;
  const Index atoms = options_.atoms.value_or(n);
  dictionary_ = options_.dictionary   ? *options_.dictionary
                : atoms != n          ? gaussian_dictionary(atoms, columns(), options_.seed)
                : options_.is_complex ? random_complex_dictionary(n, options_.condition, options_.seed)
                                      : random_dictionary(n, options_.condition, options_.seed);
  if (options_.nonzeros) frequencies_ = frequency_tree(dictionary_.rows(), options_.frequencies);
}

RowMatrix<double> Synthetic::samples(Index first, Index count) const {
  if (first < 0 || count < 0 || first > options_.samples - count) {
    throw option_error("first, count", fmt::format("{}, {}", first, count),
                       fmt::format("a range within the {} samples", options_.samples));
  }
  RowMatrix<double> rows(count, columns());
  for (Index j = 0; j < count; ++j) fill(first + j, rows.row(j).data());
  return rows;
}

void Synthetic::add_nonzeros(Index sample, double* y) const {
  const Stream supports(options_.seed, Purpose::kSupports);
  std::vector<double> left = frequencies_;
  for (Index i = 0; i < *options_.nonzeros; ++i) add_atom(sample, draw(supports.uniform(sample, i), &left), y);
}

// With its coefficient in that sample.
void Synthetic::add_atom(Index sample, Index atom, double* y) const {
  const Stream coefficients(options_.seed, Purpose::kCoefficients);
  const double* entries = dictionary_.row(atom).data();
  if (options_.is_complex) {
    const std::complex<double> z(kHalfRoot * coefficients.normal(sample, 2 * atom),
                                 kHalfRoot * coefficients.normal(sample, 2 * atom + 1));
    add_scaled(z, entries, options_.dimension, y);
  } else {
    const double normal = coefficients.normal(sample, atom);
    add_scaled(options_.signs ? (normal < 0 ? -1.0 : 1.0) : normal, entries, options_.dimension, y);
  }
}

void Synthetic::fill(Index sample, double* y) const {
  const Index n = columns();
  const double unit = options_.is_complex ? kHalfRoot : 1;  // of a real or imaginary part
  const Stream outliers(options_.seed, Purpose::kOutliers);
  if (options_.outliers > 0 && outliers.uniform(sample, 0) < options_.outliers) {
    for (Index i = 0; i < n; ++i) y[i] = unit * outliers.normal(sample, i);
  } else {
    std::fill(y, y + n, 0.0);
    if (options_.nonzeros) {
      add_nonzeros(sample, y);
    } else {
      const Stream coefficients(options_.seed, Purpose::kCoefficients);
      for (Index j = 0; j < dictionary_.rows(); ++j) {
        if (coefficients.uniform(sample, j) < options_.theta) add_atom(sample, j, y);
      }
    }
  }
  if (options_.noise > 0) {
    const Stream noise(options_.seed, Purpose::kNoise);
    for (Index i = 0; i < n; ++i) y[i] += unit * options_.noise * noise.normal(sample, i);
  }
  if (options_.corruption > 0) {
    const Stream corruption(options_.seed, Purpose::kCorruption);
    for (Index i = 0; i < n; ++i) {
      // Given that the entry is corrupted, u is uniform in [0, corruption): the lower half gives −1, the upper +1.
      const double u = corruption.uniform(sample, i);
      if (u < options_.corruption) y[i] += u < options_.corruption / 2 ? -1 : 1;
    }
  }
}

}  // namespace orthodict
