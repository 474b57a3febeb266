// SPDX-License-Identifier: Apache-2.0
// The coders one by one: pursuit, lasso, least squares on a support, and what chance gives.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "coding/active_set.h"
#include "coding/basis.h"
#include "coding/chance.h"
#include "coding/lasso.h"
#include "coding/least_squares.h"
#include "coding/omp.h"
#include "coding/products.h"
#include "coding/selection.h"
#include "lasso_support.h"
#include "simd_targets.h"
#include "support.h"

namespace orthodict::coding {
namespace {

using test::exact_lasso;
using test::lasso_objective;
using test::random_gaussian;

Matrix<double> unit_columns(Index rows, Index columns, std::uint64_t seed) {
  return random_gaussian(rows, columns, seed).colwise().normalized();
}

struct Code {
  std::vector<Index> atoms;
  Vector<double> values;
  double squared_error = 0;
};

// By the definition: all correlations with the residual, then least squares on all picked atoms.
Code naive_pursuit(const Matrix<double>& d, const Vector<double>& y, Index sparsity, double squared_error) {
  Code code{{}, {}, y.squaredNorm()};
  Vector<double> residual = y;
  while (static_cast<Index>(code.atoms.size()) < sparsity && code.squared_error > squared_error) {
    Index best = 0;
    (d.transpose() * residual).cwiseAbs().maxCoeff(&best);
    code.atoms.push_back(best);
    const Eigen::MatrixXd picked = d(Eigen::all, code.atoms);
    code.values = picked.colPivHouseholderQr().solve(Eigen::VectorXd(y));
    residual = y - picked * code.values;
    code.squared_error = residual.squaredNorm();
  }
  return code;
}

void expect_naive_code(const Matrix<double>& d, const Matrix<double>& y, Index sparsity, double squared_error) {
  const Products<double> products(d);
  Pursuit<double> pursuit(products);
  Matrix<double> correlations(products.stride(), y.cols());
  products.correlate(y.data(), y.cols(), correlations.data());
  for (Index i = 0; i < y.cols(); ++i) {
    const Code naive = naive_pursuit(d, y.col(i), sparsity, squared_error);
    pursuit.start(&correlations(0, i), y.col(i).squaredNorm());
    pursuit.extend({sparsity, squared_error});
    ASSERT_EQ(pursuit.picked(), naive.atoms) << "sample " << i;
    const std::vector<double>& x = pursuit.coefficients();
    for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(x[j], naive.values[static_cast<Index>(j)], 1e-10);
  }
}

// Sizes around those of SIMD vectors, fewer atoms than dimensions, and more.
TEST(OmpTest, SparsityConstrainedIsTheNaivePursuit) {
  expect_naive_code(unit_columns(1, 1, 1), random_gaussian(1, 3, 2), 1, PursuitEnd::kNoError);
  expect_naive_code(unit_columns(13, 7, 1), random_gaussian(13, 40, 2), 5, PursuitEnd::kNoError);
  expect_naive_code(unit_columns(32, 32, 3), random_gaussian(32, 40, 4), 12, PursuitEnd::kNoError);
  expect_naive_code(unit_columns(20, 37, 5), random_gaussian(20, 40, 6), 9, PursuitEnd::kNoError);
}

TEST(OmpTest, ErrorConstrainedIsTheNaivePursuit) {
  expect_naive_code(unit_columns(25, 25, 7), random_gaussian(25, 60, 8), 25, 5.0);
  expect_naive_code(unit_columns(25, 25, 9), random_gaussian(25, 60, 10), 6, 5.0);
}

TEST(OmpTest, GoesOnWhereItEnded) {
  const Matrix<double> d = unit_columns(20, 20, 1);
  const Vector<double> y = random_gaussian(20, 1, 2);
  const Products<double> products(d);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(y.data(), 1, correlations.data());
  Pursuit<double> at_once(products);
  std::vector<double> others = correlations;
  at_once.start(others.data(), y.squaredNorm());
  at_once.extend({9});
  Pursuit<double> in_parts(products);
  in_parts.start(correlations.data(), y.squaredNorm());
  in_parts.extend({4});
  EXPECT_EQ(in_parts.size(), 4);
  static_cast<void>(in_parts.coefficients());
  in_parts.extend({9});
  EXPECT_EQ(in_parts.picked(), at_once.picked());
  EXPECT_EQ(in_parts.coefficients(), at_once.coefficients());
}

// What remains of a sample of three atoms after three steps is rounding, which isn't coded.
TEST(OmpTest, ExactlySparseSamplesAreCodedExactly) {
  const Matrix<double> d = test::random_orthogonal<double>(30, 1);
  const Vector<double> y = 1e3 * d.col(4) - d.col(11) + 1e-3 * d.col(29);
  const Products<double> products(d);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(y.data(), 1, correlations.data());
  Pursuit<double> pursuit(products);
  pursuit.start(correlations.data(), y.squaredNorm());
  pursuit.extend({30});
  EXPECT_EQ(pursuit.picked(), (std::vector<Index>{4, 11, 29}));
}

TEST(OmpTest, EqualAtomsAndZeroSamplesEndThePursuit) {
  Matrix<double> d = unit_columns(6, 6, 1);
  for (Index j = 3; j < 6; ++j) d.col(j) = d.col(j - 3);
  const Products<double> products(d);
  const Vector<double> y = random_gaussian(6, 1, 2);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(y.data(), 1, correlations.data());
  Pursuit<double> pursuit(products);
  pursuit.start(correlations.data(), y.squaredNorm());
  pursuit.extend({6});
  EXPECT_EQ(pursuit.size(), 3);
  for (const double x : pursuit.coefficients()) EXPECT_TRUE(std::isfinite(x));
  std::fill(correlations.begin(), correlations.end(), 0.0);
  pursuit.start(correlations.data(), 0);
  pursuit.extend({6});
  EXPECT_EQ(pursuit.size(), 0);
}

// The second of the atoms is out of the first's direction by less than its coefficient could be trusted for.
TEST(OmpTest, NearlyEqualAtomsEndThePursuit) {
  Matrix<double> d(2, 2);
  d << 1, 1, 0, 1e-7;
  const Products<double> products(d);
  const Vector<double> y = Vector<double>::Ones(2);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(y.data(), 1, correlations.data());
  Pursuit<double> pursuit(products);
  pursuit.start(correlations.data(), y.squaredNorm());
  pursuit.extend({2});
  EXPECT_EQ(pursuit.size(), 1);
}

// The pursuit in single precision picks the same atoms while residuals are well above its rounding.
TEST(OmpTest, SinglePrecisionPicksTheSameAtoms) {
  test::for_each_simd_target([](const char* target) {
    const Matrix<double> d = unit_columns(20, 37, 5);
    const Matrix<double> y = random_gaussian(20, 40, 6);
    const Matrix<float> single_d = d.cast<float>();
    const Matrix<float> single_y = y.cast<float>();
    const Products<float> products(single_d);
    Matrix<float> correlations(products.stride(), y.cols());
    products.correlate(single_y.data(), y.cols(), correlations.data());
    Pursuit<float> pursuit(products);
    for (Index i = 0; i < y.cols(); ++i) {
      const Code naive = naive_pursuit(d, y.col(i), 6, PursuitEnd::kNoError);
      pursuit.start(&correlations(0, i), y.col(i).squaredNorm());
      pursuit.extend({6});
      ASSERT_EQ(pursuit.picked(), naive.atoms) << target << " sample " << i;
      EXPECT_NEAR(pursuit.squared_residual(), naive.squared_error, 1e-5 * y.col(i).squaredNorm());
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(pursuit.coefficients()[j], naive.values[static_cast<Index>(j)], 1e-4);
      }
    }
  });
}

// Of noise alone it takes few atoms, of atoms in little noise all.
TEST(OmpTest, ByChanceTakesWhatIsBetterThanNoise) {
  const Index n = 40;
  const Index k = 90;
  const Matrix<double> d = unit_columns(n, k, 1);
  const Products<double> products(d);
  const std::vector<double> chance = chance_cosines(n, k, n, 0.01);
  Pursuit<double> pursuit(products);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  const auto coded = [&](const Vector<double>& y) {
    products.correlate(y.data(), 1, correlations.data());
    pursuit.start(correlations.data(), y.squaredNorm());
    pursuit.extend({.nonzeros = n, .chance = chance});
    std::vector<Index> atoms = pursuit.picked();
    std::sort(atoms.begin(), atoms.end());
    return atoms;
  };
  Index of_noise = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    of_noise += static_cast<Index>(coded(random_gaussian(n, 1, 100 + seed)).size());
    const Vector<double> y = 2 * d.col(3) - 3 * d.col(50) + 0.02 * random_gaussian(n, 1, 500 + seed);
    const std::vector<Index> atoms = coded(y);
    EXPECT_EQ(std::count(atoms.begin(), atoms.end(), 3) + std::count(atoms.begin(), atoms.end(), 50), 2);
  }
  EXPECT_LE(of_noise, 12);  // 2 are expected of 200 samples at 0.01 each
}

// The integral of the density, t^(−½)(1 − t)^((d−3)/2)/B(½, (d−1)/2), over the tail; d = 3 is uniform in |cos|.
TEST(ChanceTest, IsTheTailOfTheBetaDistribution) {
  EXPECT_NEAR(incomplete_beta(1, 1, 0.3), 0.3, 1e-14);
  EXPECT_NEAR(incomplete_beta(2, 1, 0.3), 0.09, 1e-14);
  EXPECT_NEAR(incomplete_beta(0.5, 0.5, 0.25), 1.0 / 3, 1e-13);
  EXPECT_NEAR(incomplete_beta(2.5, 0.5, 0.7) + incomplete_beta(0.5, 2.5, 0.3), 1, 1e-13);
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
  // In three dimensions |cos| is uniform: one of 10 exceeds 0.9.
  EXPECT_NEAR(chance_cosines(3, 10, 1, 1)[0], 0.81, 1e-12);
  // In two dimensions the angle is.
  EXPECT_NEAR(chance_cosines(3, 10, 2, 1)[1], std::pow(std::cos(0.1 * std::acos(0.0)), 2), 1e-12);
  EXPECT_EQ(chance_cosines(3, 10, 4, 1)[2], 1);
  EXPECT_EQ(chance_cosines(3, 10, 4, 1)[3], 1);
  // Many dimensions: n·cos² is nearly a squared normal; of 2000 one exceeds 3.48 standard deviations.
  EXPECT_NEAR(std::sqrt(100000 * chance_cosines(100000, 2000, 1, 1)[0]), 3.4808, 1e-3);
}

TEST(SupportSolverTest, IsLeastSquares) {
  const Matrix<double> d = random_gaussian(12, 20, 1);
  const Products<double> products(d);
  SupportSolver solver(products);
  const Vector<double> y = random_gaussian(12, 1, 2);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(y.data(), 1, correlations.data());
  for (const std::vector<Index>& support : {std::vector<Index>{}, {7}, {3, 19, 0}, {4, 5, 6, 7, 8, 9, 10, 11}}) {
    const Eigen::MatrixXd chosen = d(Eigen::all, support);
    std::vector<double> chosen_products;
    for (const Index atom : support) chosen_products.push_back(correlations[static_cast<std::size_t>(atom)]);
    const std::vector<double>& x = solver.solve(support, chosen_products);
    ASSERT_EQ(x.size(), support.size());
    if (support.empty()) continue;
    const Eigen::VectorXd expected = chosen.colPivHouseholderQr().solve(Eigen::VectorXd(y));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[static_cast<Index>(i)], 1e-10);
  }
}

// More atoms than dimensions span everything: those that depend on others get nothing, and nothing is left.
TEST(SupportSolverTest, LeavesDependentAtomsOut) {
  const Matrix<double> d = unit_columns(5, 9, 1);
  const Products<double> products(d);
  SupportSolver solver(products);
  const Vector<double> y = random_gaussian(5, 1, 2);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(y.data(), 1, correlations.data());
  std::vector<Index> support(9);
  std::iota(support.begin(), support.end(), 0);
  const std::vector<double>& x = solver.solve(support, std::span(correlations).first(9));
  EXPECT_EQ(std::count(x.begin(), x.end(), 0.0), 4);
  EXPECT_LT((d * Eigen::Map<const Vector<double>>(x.data(), 9) - y).norm(), 1e-9);
}

// By its definition: of all 3^k patterns of signs, the best least squares fit that has the signs it was made for.
Vector<double> naive_lasso(const Matrix<double>& d, const Vector<double>& y, double penalty) {
  const Index k = d.cols();
  Vector<double> best = Vector<double>::Zero(k);
  for (int pattern = 1; pattern < static_cast<int>(std::pow(3, k)); ++pattern) {
    std::vector<Index> support;
    std::vector<double> signs;
    for (int j = 0, rest = pattern; j < k; ++j, rest /= 3) {
      if (rest % 3 == 0) continue;
      support.push_back(j);
      signs.push_back(rest % 3 == 1 ? 1 : -1);
    }
    const Eigen::MatrixXd s = d(Eigen::all, support);
    const Eigen::Map<Eigen::VectorXd> sign(signs.data(), static_cast<Index>(signs.size()));
    const Eigen::VectorXd values = (s.transpose() * s).ldlt().solve(s.transpose() * y - penalty * sign);
    if ((values.array() * sign.array() <= 0).any()) continue;
    Vector<double> x = Vector<double>::Zero(k);
    x(support) = values;
    if (lasso_objective(d, y, penalty, x) < lasso_objective(d, y, penalty, best)) best = x;
  }
  return best;
}

TEST(LassoTest, IsTheNaiveOne) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Matrix<double> d = unit_columns(6, 5, seed);
    const Vector<double> y = random_gaussian(6, 1, 100 + seed);
    for (const double penalty : {0.01, 0.3, 1.0}) {
      const Vector<double> naive = naive_lasso(d, y, penalty);
      EXPECT_LT((exact_lasso(d, y, penalty) - naive).norm(), 1e-9) << "seed " << seed << " penalty " << penalty;
    }
  }
}

// Sizes around those of SIMD vectors, and more atoms than dimensions.
TEST(LassoTest, MeetsItsOptimalityConditions) {
  test::for_each_simd_target([](const char* target) {
    for (const auto& [n, k] : std::vector<std::pair<Index, Index>>{{1, 1}, {13, 7}, {32, 32}, {40, 33}, {10, 14}}) {
      const Matrix<double> d = unit_columns(n, k, 1);
      const Matrix<double> gram = d.transpose() * d;
      const double penalty = 0.2;
      const Lasso<double> lasso(gram.data(), gram.cols(), gram.rows(), penalty);
      const Vector<double> y = random_gaussian(n, 1, 2);
      Vector<double> x = Vector<double>::Zero(k);
      Vector<double> r = d.transpose() * y;
      lasso.solve(x.data(), r.data());
      EXPECT_LT((r - d.transpose() * (y - d * x)).cwiseAbs().maxCoeff(), 1e-13) << target;
      const double slack = LassoEnd().accuracy * penalty + 1e-13;
      EXPECT_GT((x.array() != 0).count(), 0);
      for (Index j = 0; j < k; ++j) {
        const double violation = x[j] == 0  ? std::max(0.0, std::abs(r[j]) - penalty)
                                 : x[j] > 0 ? std::abs(r[j] - penalty)
                                            : std::abs(r[j] + penalty);
        EXPECT_LE(violation, slack) << target << " k " << k << " atom " << j;
      }
    }
  });
}

TEST(LassoTest, OrthogonalDictionaryIsSoftThresholded) {
  const Matrix<double> d = test::random_orthogonal<double>(9, 1);
  const Matrix<double> gram = test::identity(9);
  const Vector<double> c = d.transpose() * random_gaussian(9, 1, 2);
  Vector<double> x = Vector<double>::Zero(9);
  Vector<double> r = c;
  EXPECT_EQ(Lasso<double>(gram.data(), 9, 9, 0.5).solve(x.data(), r.data()), 2);  // the second finds nothing to do
  const Vector<double> soft = c.array().sign() * (c.array().abs() - 0.5).max(0);
  EXPECT_LT((x - soft).norm(), 1e-14);
  EXPECT_EQ(Lasso<double>(gram.data(), 9, 9, 0.5).solve(x.data(), r.data()), 1);
}

TEST(LassoTest, ZeroAtomsAndLargePenalties) {
  Matrix<double> d = unit_columns(5, 4, 1);
  d.col(2).setZero();
  const Vector<double> y = random_gaussian(5, 1, 2);
  const Vector<double> x = exact_lasso(d, y, 0.1);
  EXPECT_TRUE(x.allFinite());
  EXPECT_EQ(x[2], 0);
  EXPECT_TRUE(exact_lasso(d, y, (d.transpose() * y).cwiseAbs().maxCoeff()).isZero(0));
}

// The duality gap of a code, relative to ½‖y‖²: y − Dx, shrunk until it is feasible, is a point of the dual problem.
double duality_gap(const Matrix<double>& d, const Vector<double>& y, double penalty, const Vector<double>& x) {
  const Vector<double> residual = y - d * x;
  const double shrunk = std::min(1.0, penalty / (d.transpose() * residual).cwiseAbs().maxCoeff());
  const double dual = (y.squaredNorm() - (y - shrunk * residual).squaredNorm()) / 2;
  return (lasso_objective(d, y, penalty, x) - dual) / (y.squaredNorm() / 2);
}

// A sample of norm 1 and its code by an active set; nothing if that finds none.
template <typename Scalar>
std::optional<Vector<double>> active_code(const Matrix<double>& d, const Vector<double>& y, double penalty) {
  const Matrix<Scalar> atoms = d.cast<Scalar>();
  const Vector<Scalar> sample = y.cast<Scalar>();
  const Products<Scalar> products(atoms);
  std::vector<Scalar> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(sample.data(), 1, correlations.data());
  ActiveSet<Scalar> active_set(products);
  if (!active_set.solve(correlations.data(), y.norm(), penalty)) return std::nullopt;
  Vector<double> x = Vector<double>::Zero(d.cols());
  for (std::size_t i = 0; i < active_set.atoms().size(); ++i) x[active_set.atoms()[i]] = active_set.values()[i];
  return x;
}

// From no atom to as many as dimensions: directly, by a few steps, and along the path. The gap is at most 2δ + δ², with
// δ = 1e-8 and 1e-4.
TEST(ActiveSetTest, ClosesTheDualityGap) {
  test::for_each_simd_target([](const char* target) {
    for (const auto& [n, k] : std::vector<std::pair<Index, Index>>{{1, 1}, {13, 7}, {32, 32}, {10, 14}, {20, 70}}) {
      const Matrix<double> d = unit_columns(n, k, 1);
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Vector<double> y = random_gaussian(n, 1, 100 + seed).normalized();
        for (const double penalty : {1e-3, 0.01, 0.05, 0.2, 2.0}) {
          const auto exact = active_code<double>(d, y, penalty);
          ASSERT_TRUE(exact) << target << " n " << n << " k " << k << " penalty " << penalty;
          EXPECT_LE(duality_gap(d, y, penalty, *exact), 2.1e-8);
          EXPECT_LE((exact->array() != 0).count(), std::min(n, k));
          if (const auto rough = active_code<float>(d, y, penalty)) {
            EXPECT_LE(duality_gap(d, y, penalty, *rough), 2.1e-4);
          }
        }
      }
    }
  });
}

TEST(ActiveSetTest, IsTheNaiveLasso) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix<double> d = unit_columns(6, 5, seed) * Eigen::DiagonalMatrix<double, 5>(1, 3, 0.2, 1, 2);
    const Vector<double> y = random_gaussian(6, 1, 100 + seed).normalized();
    for (const double penalty : {0.01, 0.1, 0.4}) {
      const auto x = active_code<double>(d, y, penalty);
      ASSERT_TRUE(x);
      EXPECT_LT((*x - naive_lasso(d, y, penalty)).norm(), 1e-7) << "seed " << seed << " penalty " << penalty;
    }
  }
}

// One of two equal atoms joins; those without length never do.
TEST(ActiveSetTest, TakesDependentAtomsAndZeros) {
  Matrix<double> d = unit_columns(8, 20, 3);
  d.rightCols(9) = d.leftCols(9);
  d.col(4).setZero();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Vector<double> y = random_gaussian(8, 1, seed).normalized();
    for (const double penalty : {0.003, 0.03, 0.3}) {
      const auto x = active_code<double>(d, y, penalty);
      ASSERT_TRUE(x) << "seed " << seed << " penalty " << penalty;
      EXPECT_LE(duality_gap(d, y, penalty, *x), 2.1e-8);
      EXPECT_EQ((*x)[4], 0);
    }
  }
  EXPECT_TRUE(active_code<double>(d, Vector<double>::Zero(8), 0.1)->isZero(0));
}

// Whatever left and in which order, the basis is that of the atoms that are in it.
TEST(BasisTest, AtomsThatLeaveLeaveNothing) {
  const Matrix<double> d = unit_columns(12, 30, 1);
  const Vector<double> y = random_gaussian(12, 1, 2);
  const Products<double> products(d);
  std::vector<double> correlations(static_cast<std::size_t>(products.stride()));
  products.correlate(y.data(), 1, correlations.data());
  Basis<double> basis(products);
  basis.start(correlations.data());
  const auto add = [&basis](Index atom) {
    basis.update();
    ASSERT_TRUE(basis.add(atom));
  };
  for (const Index atom : {3, 8, 21, 5, 0, 11}) add(atom);
  basis.drop(2);
  basis.drop(4);
  basis.drop(0);
  add(29);
  EXPECT_EQ(basis.atoms(), (std::vector<Index>{8, 5, 0, 29}));
  const Eigen::MatrixXd chosen = d(Eigen::all, basis.atoms());
  const Eigen::VectorXd expected = chosen.colPivHouseholderQr().solve(Eigen::VectorXd(y));
  basis.update();
  const Vector<double> left = d.transpose() * (y - chosen * expected);
  for (Index j = 0; j < 30; ++j) EXPECT_NEAR(basis.correlation(j), left[j], 1e-13);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(basis.coefficients()[i], expected[static_cast<Index>(i)], 1e-12);
}

// By sorting; ties go to the first.
std::vector<double> naive_largest(const std::vector<double>& x, std::size_t top) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(x[a]) > std::abs(x[b]); });
  std::vector<double> kept(x.size(), 0.0);
  for (std::size_t i = 0; i < top; ++i) kept[order[i]] = x[order[i]];
  return kept;
}

TEST(SelectionTest, KeepsTheLargest) {
  test::for_each_simd_target([](const char* target) {
    for (const Index size : {1, 2, 7, 8, 9, 64, 131}) {
      const Vector<double> normal = random_gaussian(size, 1, 7);
      const std::vector<Vector<double>> codes = {
          normal,
          normal.array().round(),                                                           // ties, and zeros
          normal.array().sign(),                                                            // nothing else
          1e-300 * normal,                                                                  // far from 1
          normal.array() * (normal.array() > 0.8).cast<double>() + 1e-17 * normal.array(),  // rounding beside values
          (200 * normal.array()).exp(),                                                     // all sizes
          Vector<double>::Zero(size),
      };
      for (const Vector<double>& code : codes) {
        for (const Index top : {Index{1}, Index{3}, size / 2, size - 1, size}) {
          if (top < 1 || top > size) continue;
          std::vector<double> x(code.begin(), code.end());
          const std::vector<double> expected = naive_largest(x, static_cast<std::size_t>(top));
          keep({.top = top}, x.data(), size);
          ASSERT_EQ(x, expected) << target << " size " << size << " top " << top;
        }
      }
    }
  });
}

TEST(SelectionTest, KeepsFromTheThresholdAndFindsWhatIsNotFinite) {
  test::for_each_simd_target([](const char* target) {
    for (const Index size : {1, 5, 16, 37}) {
      std::vector<double> x(static_cast<std::size_t>(size), -2.0);
      x.back() = 1.5;
      EXPECT_TRUE(all_finite(x.data(), size)) << target;
      keep({.threshold = 2.0}, x.data(), size);
      EXPECT_EQ(std::count(x.begin(), x.end(), -2.0), size - 1);
      EXPECT_EQ(x.back(), 0);
      for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        for (const std::size_t at : {std::size_t{0}, x.size() / 2, x.size() - 1}) {
          std::vector<double> spoilt = x;
          spoilt[at] = bad;
          EXPECT_FALSE(all_finite(spoilt.data(), size)) << target << " " << at;
        }
      }
    }
  });
}

}  // namespace
}  // namespace orthodict::coding
