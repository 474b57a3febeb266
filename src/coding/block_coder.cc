// SPDX-License-Identifier: Apache-2.0
#include "coding/block_coder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "coding/chance.h"
#include "coding/lasso.h"
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

// Appends a code with its atoms in rising order.
template <typename Scalar>
class SortedCode {
 public:
  void append(const std::vector<Index>& atoms, const std::vector<Scalar>& values, const Vector<double>& norms,
              CodeBlock* codes) {
    order_.resize(atoms.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return atoms[a] < atoms[b]; });
    atoms_.clear();
    values_.clear();
    for (const std::size_t i : order_) {
      atoms_.push_back(atoms[i]);
      values_.push_back(static_cast<double>(values[i]) / norms[atoms[i]]);
    }
    codes->append(atoms_, values_);
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<Index> atoms_;
  std::vector<double> values_;
};

template <typename Scalar>
class OmpCoder : public BlockCoder {
 public:
  OmpCoder(const RowMatrix<double>& dictionary, const EncodeOptions& options, double unit)
      : unit_atoms_(dictionary), products_(unit_atoms_.atoms) {
    const Index n = dictionary.cols();
    end_.nonzeros = options.nonzeros.value_or(std::min(n, dictionary.rows()));
    if (options.error) end_.squared_error = static_cast<double>(n) * *options.error * *options.error * unit * unit;
    if (options.nonzeros || options.error) return;
    constexpr double kExpected = 1;
    chance_ = chance_cosines(n, dictionary.rows(), n, kExpected);
    end_.chance = chance_;
  }

  void encode(const Matrix<double>& y, CodeBlock* codes) const override {
    const Matrix<Scalar>& samples = y.cast<Scalar>();  // y itself where the types are equal
    Matrix<Scalar> correlations(products_.stride(), samples.cols());
    products_.correlate(samples.data(), samples.cols(), correlations.data());
    Pursuit<Scalar> pursuit(products_);
    SortedCode<Scalar> sorted;
    for (Index i = 0; i < samples.cols(); ++i) {
      pursuit.start(&correlations(0, i), y.col(i).squaredNorm());
      pursuit.extend(end_);
      sorted.append(pursuit.picked(), pursuit.coefficients(), unit_atoms_.norms, codes);
    }
  }

 private:
  UnitAtoms<Scalar> unit_atoms_;
  Products<Scalar> products_;
  std::vector<double> chance_;
  PursuitEnd end_;
};

template <typename Scalar>
class LassoCoder : public BlockCoder {
 public:
  LassoCoder(const RowMatrix<double>& dictionary, double penalty)
      : atoms_(dictionary.transpose().cast<Scalar>()), products_(atoms_), penalty_(penalty) {}

  void encode(const Matrix<double>& y, CodeBlock* codes) const override {
    const LassoEnd end = {.accuracy = sizeof(Scalar) == sizeof(double) ? 1e-8 : 1e-4, .max_sweeps = 10000};
    const Lasso<Scalar> lasso(products_.gram(0), products_.atoms(), products_.stride(), penalty_, end);
    const Matrix<Scalar>& samples = y.cast<Scalar>();  // y itself where the types are equal
    Matrix<Scalar> correlations(products_.stride(), samples.cols());
    products_.correlate(samples.data(), samples.cols(), correlations.data());
    Vector<Scalar> code(products_.atoms());
    std::vector<Index> atoms;
    std::vector<double> values;
    for (Index i = 0; i < samples.cols(); ++i) {
      code.setZero();
      lasso.solve(code.data(), &correlations(0, i));
      atoms.clear();
      values.clear();
      for (Index j = 0; j < code.size(); ++j) {
        if (code[j] == 0) continue;
        atoms.push_back(j);
        values.push_back(static_cast<double>(code[j]));
      }
      codes->append(atoms, values);
    }
  }

 private:
  Matrix<Scalar> atoms_;
  Products<Scalar> products_;
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
    SortedCode<double> sorted;
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
      sorted.append(support, solver.solve(support, chosen), unit_atoms_.norms, codes);
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
