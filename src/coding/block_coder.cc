// SPDX-License-Identifier: Apache-2.0
#include "coding/block_coder.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coding/active_set.h"
#include "coding/chance.h"
#include "coding/constants.h"
#include "coding/least_squares.h"
#include "coding/omp.h"
#include "coding/products.h"
#include "coding/selection.h"
#include "linalg/blas.h"
#include "orthodict/fit.h"

namespace orthodict::coding {
namespace {

// Atoms in columns, of unit norm, and their norms. Zero atoms stay zero.
template <typename Scalar>
struct UnitAtoms {
  explicit UnitAtoms(const RowMatrix<double>& dictionary) : norms(dictionary.rowwise().stableNorm()) {
    Matrix<double> columns = dictionary.transpose();
    for (Index i = 0; i < columns.cols(); ++i) {
      if (norms[i] > 0) columns.col(i) /= norms[i];
    }
    atoms = columns.cast<Scalar>();
  }
  Vector<double> norms;
  Matrix<Scalar> atoms;
};

// 2^−e for the e with largest entry in [2^(e−1), 2^e): scaling by it is exact, and squares stay in range.
double scale_for(double largest) {
  constexpr int kMost = 1000;  // beyond this the scale itself isn't in range
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -kMost, kMost));
}

// Samples that are scaled to entries of about 1, one by one, and their products with the atoms.
template <typename Scalar>
struct ScaledSamples {
  ScaledSamples(const Matrix<double>& y, const Products<Scalar>& products)
      : samples(y.rows(), y.cols()), scales(y.cols()), norms(y.cols()), correlations(products.stride(), y.cols()) {
    for (Index i = 0; i < y.cols(); ++i) {
      scales[i] = scale_for(y.col(i).cwiseAbs().maxCoeff());
      samples.col(i) = (scales[i] * y.col(i)).template cast<Scalar>();
      norms[i] = (scales[i] * y.col(i)).norm();
    }
    products.correlate(samples.data(), samples.cols(), correlations.data());
  }
  Matrix<Scalar> samples;
  Vector<double> scales;
  Vector<double> norms;         // of the scaled samples
  Matrix<Scalar> correlations;  // padded
};

// Appends codes with their atoms in rising order.
class SortedCode {
 public:
  // value_of(i) is the value of atoms[i].
  template <typename ValueOf>
  void append(const std::vector<Index>& atoms, const ValueOf& value_of, CodeBlock* codes) {
    code_.clear();
    for (std::size_t i = 0; i < atoms.size(); ++i) code_.emplace_back(atoms[i], value_of(i));
    std::sort(code_.begin(), code_.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
    for (const auto& [atom, value] : code_) {
      codes->atoms.push_back(atom);
      codes->values.push_back(value);
    }
    codes->begin.push_back(static_cast<Index>(codes->atoms.size()));
  }

 private:
  using Entry = std::pair<Index, double>;
  std::vector<Entry> code_;
};

template <typename Scalar>
class OmpCoder : public BlockCoder {
 public:
  OmpCoder(const RowMatrix<double>& dictionary, const EncodeOptions& options, double unit)
      : unit_atoms_(dictionary), products_(unit_atoms_.atoms) {
    const Index n = dictionary.cols();
    nonzeros_ = options.nonzeros.value_or(std::min(n, dictionary.rows()));
    if (options.error) error_ = std::sqrt(static_cast<double>(n)) * *options.error * unit;
    if (options.nonzeros || options.error) return;
    chance_ = chance_cosines(n, dictionary.rows(), n, kExpectedOfNoise);
  }

  void encode(const Matrix<double>& y, CodeBlock* codes) const override {
    ScaledSamples<Scalar> scaled(y, products_);
    Pursuit<Scalar> pursuit(products_);
    SortedCode sorted;
    for (Index i = 0; i < y.cols(); ++i) {
      PursuitEnd end{.nonzeros = nonzeros_, .chance = chance_};
      const double scale = scaled.scales[i];
      if (error_) end.squared_error = *error_ * scale * (*error_ * scale);
      pursuit.start(&scaled.correlations(0, i), scaled.norms[i] * scaled.norms[i]);
      pursuit.extend(end);
      const std::vector<Scalar>& x = pursuit.coefficients();
      const std::vector<Index>& atoms = pursuit.picked();
      sorted.append(
          atoms, [&](std::size_t e) { return static_cast<double>(x[e]) / scale / unit_atoms_.norms[atoms[e]]; }, codes);
    }
  }

 private:
  UnitAtoms<Scalar> unit_atoms_;
  Products<Scalar> products_;
  std::vector<double> chance_;
  Index nonzeros_ = 0;
  std::optional<double> error_;  // ‖r‖
};

// The atoms are scaled together so that the largest entry is about 1. What single precision can't answer to its own
// accuracy is coded in double precision.
template <typename Scalar>
class LassoCoder : public BlockCoder {
 public:
  LassoCoder(const RowMatrix<double>& dictionary, double penalty)
      : scale_(scale_for(dictionary.cwiseAbs().maxCoeff())),
        exact_atoms_(scale_ * dictionary.transpose()),
        exact_products_(exact_atoms_),
        penalty_(penalty) {
    if constexpr (kIsSingle<Scalar>) {
      atoms_ = exact_atoms_.cast<Scalar>();
      products_ = std::make_unique<Products<Scalar>>(atoms_);
    }
  }

  void encode(const Matrix<double>& y, CodeBlock* codes) const override {
    ActiveSet<double> exact(exact_products_);
    SortedCode sorted;
    const auto append = [&](const auto& found, double scale) {
      sorted.append(
          found.atoms(), [&](std::size_t e) { return static_cast<double>(found.values()[e]) * scale_ / scale; }, codes);
    };
    if constexpr (kIsSingle<Scalar>) {
      const ScaledSamples<Scalar> scaled(y, *products_);
      ActiveSet<Scalar> active_set(*products_);
      Vector<double> correlations(exact_products_.stride());
      for (Index i = 0; i < y.cols(); ++i) {
        const double scale = scaled.scales[i], penalty = penalty_ * scale_ * scale;
        if (active_set.solve(&scaled.correlations(0, i), scaled.norms[i], penalty)) {
          append(active_set, scale);
        } else {
          const Vector<double> sample = scale * y.col(i);
          exact_products_.correlate(sample.data(), 1, correlations.data());
          static_cast<void>(exact.solve(correlations.data(), scaled.norms[i], penalty));
          append(exact, scale);
        }
      }
    } else {
      const ScaledSamples<double> scaled(y, exact_products_);
      for (Index i = 0; i < y.cols(); ++i) {
        const double scale = scaled.scales[i];
        static_cast<void>(exact.solve(&scaled.correlations(0, i), scaled.norms[i], penalty_ * scale_ * scale));
        append(exact, scale);
      }
    }
  }

 private:
  double scale_;
  Matrix<double> exact_atoms_;
  Products<double> exact_products_;
  Matrix<Scalar> atoms_;                        // in single precision, as the following
  std::unique_ptr<Products<Scalar>> products_;  // null: in double precision
  double penalty_;
};

// Chooses atoms by `top` and `threshold` among products with `analysis`, or with the atoms, and refits.
class RefitCoder : public BlockCoder {
 public:
  RefitCoder(const RowMatrix<double>& dictionary, const RowMatrix<double>& analysis, const EncodeOptions& options)
      : options_(options), analysis_(analysis), unit_atoms_(dictionary), products_(unit_atoms_.atoms) {}

  void encode(const Matrix<double>& y, CodeBlock* codes) const override {
    Matrix<double> correlations(products_.stride(), y.cols());
    products_.correlate(y.data(), y.cols(), correlations.data());
    const Matrix<double> analysed =
        analysis_.size() > 0 ? linalg::multiply(Matrix<double>(analysis_), y) : correlations.topRows(products_.atoms());
    SupportSolver solver(products_);
    SortedCode sorted;
    std::vector<Index> support;
    std::vector<double> chosen;
    for (Index i = 0; i < y.cols(); ++i) {
      Vector<double> z = analysed.col(i);
      keep(options_, z.data(), z.size());
      support.clear();
      chosen.clear();
      for (Index j = 0; j < z.size(); ++j) {
        if (z[j] == 0) continue;
        support.push_back(j);
        chosen.push_back(correlations(j, i));
      }
      const std::vector<double>& x = solver.solve(support, chosen);
      sorted.append(
          support, [&](std::size_t e) { return x[e] / unit_atoms_.norms[support[e]]; }, codes);
    }
  }

 private:
  EncodeOptions options_;
  const RowMatrix<double>& analysis_;
  UnitAtoms<double> unit_atoms_;
  Products<double> products_;
};

template <typename Scalar>
std::unique_ptr<BlockCoder> make(const RowMatrix<double>& dictionary, const EncodeOptions& options, double unit) {
  if (options.coder == Coder::kOmp) return std::make_unique<OmpCoder<Scalar>>(dictionary, options, unit);
  return std::make_unique<LassoCoder<Scalar>>(dictionary, options.penalty.value_or(1) * unit);
}

}  // namespace

std::unique_ptr<BlockCoder> make_block_coder(const RowMatrix<double>& dictionary, const RowMatrix<double>& analysis,
                                             const EncodeOptions& options, double unit) {
  if (options.coder == Coder::kDense) return std::make_unique<RefitCoder>(dictionary, analysis, options);
  return options.precision == Precision::kF32 ? make<float>(dictionary, options, unit)
                                              : make<double>(dictionary, options, unit);
}

}  // namespace orthodict::coding
