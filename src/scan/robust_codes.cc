// SPDX-License-Identifier: Apache-2.0
#include "scan/robust_codes.h"

#include <algorithm>
#include <cmath>

#include "linalg/blas.h"
#include "orthodict/coder.h"

namespace orthodict {
namespace {

constexpr double kConserved = 0.7;
constexpr double kSingle = 2;
constexpr Index kBlock = 4096;

// The two largest codes of each atom, in size.
struct Largest {
  Vector<double> first, second;

  void add(const RowMatrix<double>& codes) {
    for (Index i = 0; i < codes.cols(); ++i) {
      for (const double code : codes.col(i)) {
        const double size = std::abs(code);
        second[i] = std::max(second[i], std::min(size, first[i]));
        first[i] = std::max(first[i], size);
      }
    }
  }
  [[nodiscard]] Index singles() const { return (first.array() > kSingle * second.array()).count(); }
};

// Sums of codes less a pivot, which is near their mean, and of their products.
struct Products {
  Eigen::RowVectorXd pivot, other_pivot, sums, other_sums, squares, other_squares;
  Matrix<double> products;
  double count = 0;

  void add(RowMatrix<double> codes, RowMatrix<double> others) {
    if (count == 0) {
      pivot = codes.colwise().mean();
      other_pivot = others.colwise().mean();
      sums = squares = Eigen::RowVectorXd::Zero(codes.cols());
      other_sums = other_squares = Eigen::RowVectorXd::Zero(others.cols());
      products = Matrix<double>::Zero(codes.cols(), others.cols());
    }
    codes.rowwise() -= pivot;
    others.rowwise() -= other_pivot;
    count += static_cast<double>(codes.rows());
    sums += codes.colwise().sum();
    other_sums += others.colwise().sum();
    squares += codes.colwise().squaredNorm();
    other_squares += others.colwise().squaredNorm();
    products += linalg::multiply<double>(codes.transpose(), others);
  }
  [[nodiscard]] Matrix<double> correlations() const {
    const auto deviations = [&](const Eigen::RowVectorXd& square, const Eigen::RowVectorXd& sum) {
      return (square.array() / count - (sum.array() / count).square()).max(1e-300).sqrt().matrix().eval();
    };
    const Matrix<double> covariance = products / count - (sums / count).transpose() * (other_sums / count);
    return deviations(squares, sums).cwiseInverse().asDiagonal() * covariance *
           deviations(other_squares, other_sums).cwiseInverse().asDiagonal();
  }
};

}  // namespace

RobustCodes look_at_codes(const Model& atoms, const Model& others, const Samples& samples, std::optional<int> threads) {
  if (atoms.atoms() == 0) return {};
  const bool compares = others.atoms() > 0;
  Largest largest{.first = Vector<double>::Zero(atoms.atoms()), .second = Vector<double>::Zero(atoms.atoms())};
  Products products;
  const EncodeOptions dense{.coder = Coder::kDense, .threads = threads};
  for (Index first = 0; first < samples.size(); first += kBlock) {
    const Index count = std::min(kBlock, samples.size() - first);
    const RowMatrix<double> codes = encode(atoms, samples, first, count, dense);
    largest.add(codes);
    if (compares) products.add(codes, encode(others, samples, first, count, dense));
  }
  RobustCodes result{.singles = largest.singles()};
  if (compares) {
    result.conserved = (products.correlations().cwiseAbs().rowwise().maxCoeff().array() >= kConserved).count();
  }
  return result;
}

Model encoder_of(const Model& model, const std::vector<Index>& atoms) {
  return {.dictionary = model.dictionary(atoms, Eigen::all),
          .analysis = model.analysis(atoms, Eigen::all),
          .mean = model.mean};
}

}  // namespace orthodict
