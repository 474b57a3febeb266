// SPDX-License-Identifier: Apache-2.0
// The deterministic facts of the paper: its worked examples and the algorithm's behaviour on the orthogonal group.
#include <gtest/gtest.h>

#include "msp_step.h"
#include "support.h"

namespace orthodict {
namespace {

using test::identity;
using test::msp_step;

constexpr double kHalfOfLastDigit = 0.5e-4;  // the paper prints four decimals

void expect_printed(const Matrix<double>& got, const Matrix<double>& printed, const char* what) {
  EXPECT_LE((got - printed).cwiseAbs().maxCoeff(), kHalfOfLastDigit) << what << "\n" << got;
}

Matrix<double> cube(const Matrix<double>& a) { return a.array().cube(); }

TEST(PaperExample, OneRunOfAlgorithm1) {
  Matrix<double> a0(3, 3), a0_cubed(3, 3), a1(3, 3), a1_cubed(3, 3), a2(3, 3), a2_cubed(3, 3), a3(3, 3);
  a0 << -0.8249, 0.3820, -0.4168, -0.5240, -0.2398, 0.8173, -0.2122, -0.8925, -0.3979;
  a0_cubed << -0.5613, 0.0557, -0.0724, -0.1439, -0.0138, 0.5459, -0.0096, -0.7109, -0.0630;
  a1 << -0.9795, 0.0621, -0.1917, -0.1953, -0.0594, 0.9789, -0.0494, -0.9963, -0.0703;
  a1_cubed << -0.9397, 0.0002, -0.0070, -0.0075, -0.0002, 0.9381, -0.0001, -0.9889, -0.0003;
  a2 << -1.0000, 0.0002, -0.0077, -0.0077, -0.0003, 1.000, -0.0002, -1.0000, -0.0003;
  a2_cubed << -0.9999, 0, 0, 0, 0, 0.9999, 0, -1.0000, 0;
  a3 << -1, 0, 0, 0, 0, 1, 0, -1, 0;

  expect_printed(test::correlation(a0, identity(3), "l4") / 4, a0_cubed, "A0 stretched");
  const Matrix<double> first = msp_step(a0, identity(3));
  expect_printed(first, a1, "A1");
  expect_printed(cube(first), a1_cubed, "A1 stretched");
  const Matrix<double> second = msp_step(first, identity(3));
  expect_printed(second, a2, "A2");
  expect_printed(cube(second), a2_cubed, "A2 stretched");
  const Matrix<double> third = msp_step(second, identity(3));
  expect_printed(third, a3, "A3");
  expect_printed(cube(third), a3, "A3 stretched");
}

// The printed A1 of this example doesn't follow from the printed A0: see docs/errata.md.
TEST(PaperExample, OneRunWithOrderTen) {
  Matrix<double> a0(3, 3), a2(3, 3);
  a0 << -0.6142, 0.3943, 0.6836, -0.2039, 0.7575, -0.6201, 0.7623, 0.5203, 0.3849;
  a2 << 0, 0, 1, 0, 1, 0, 1, 0, 0;
  const Matrix<double> first = msp_step(a0, identity(3), "power:10");
  EXPECT_NEAR(first(0, 0), -0.1085, kHalfOfLastDigit);
  EXPECT_NEAR(first(0, 1), 0.1198, kHalfOfLastDigit);
  EXPECT_NEAR(first(0, 2), 0.9868, kHalfOfLastDigit);
  expect_printed(msp_step(first, identity(3), "power:10"), a2, "A2");
}

Matrix<double> rotation(double angle) {
  Matrix<double> a(2, 2);
  a << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  return a;
}

TEST(RotationsOfThePlane, TangentIsCubed) {
  for (int i = -179; i < 180; ++i) {
    const double angle = i * M_PI / 360;  // (−π/2, π/2)
    const Matrix<double> next = msp_step(rotation(angle), identity(2));
    const double tangent = std::pow(std::tan(angle), 3);
    EXPECT_NEAR(next(1, 0), tangent / std::hypot(1, tangent), 1e-14) << angle;
    EXPECT_NEAR(next(0, 0), 1 / std::hypot(1, tangent), 1e-14) << angle;
  }
}

TEST(RotationsOfThePlane, HadamardMatricesAreFixedButUnstable) {
  for (const int odd : {-3, -1, 1, 3}) {
    const double angle = odd * M_PI / 4;
    EXPECT_LE((msp_step(rotation(angle), identity(2)) - rotation(angle)).norm(), 1e-15);
    Matrix<double> a = rotation(angle + 1e-6);
    for (int i = 0; i < 20; ++i) a = msp_step(a, identity(2));
    EXPECT_LE(test::distance_to_signed_permutation(a), 1e-12) << odd;
  }
}

// An orthogonal matrix with ‖A − I‖²_F = ε, by scaling the exponent of a random skew matrix.
Matrix<double> near_identity(Index n, double epsilon, std::uint64_t seed) {
  const Matrix<double> g = test::random_gaussian(n, n, seed);
  const Matrix<double> skew = (g - g.transpose()) / (g - g.transpose()).norm();
  const auto at = [&](double t) {  // Cayley transform
    return Matrix<double>((identity(n) - t / 2 * skew).lu().solve(identity(n) + t / 2 * skew));
  };
  double low = 0, high = 2;
  for (int i = 0; i < 60; ++i) {
    const double t = (low + high) / 2;
    ((at(t) - identity(n)).squaredNorm() < epsilon ? low : high) = t;
  }
  return at(low);
}

TEST(LocalConvergence, IsCubic) {
  for (const Index n : {5, 20}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      std::vector<double> x, y;
      for (double epsilon = 0.01; epsilon >= 0.00099; epsilon /= std::sqrt(std::sqrt(10.0))) {
        const Matrix<double> a = near_identity(n, epsilon, seed);
        const double next = (msp_step(a, identity(n)) - identity(n)).squaredNorm();
        EXPECT_LT(next, epsilon);
        x.push_back(std::log(epsilon));
        y.push_back(std::log(next));
      }
      const double slope = (y.front() - y.back()) / (x.front() - x.back());
      EXPECT_NEAR(slope, 3, 0.05) << "n = " << n;
    }
  }
}

TEST(LocalConvergence, HoldsUpToTheRadiusOfTheTheorem) {
  for (const Index n : {5, 20}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Matrix<double> a = near_identity(n, 0.578, seed);
      EXPECT_LT((msp_step(a, identity(n)) - identity(n)).squaredNorm(), 0.578);
    }
  }
}

TEST(L4Norm, LiesBetweenOneAndNAndPeaksAtSignedPermutations) {
  for (const Index n : {2, 5, 30}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const double g = test::l4_norm4(test::random_orthogonal<double>(n, seed));
      EXPECT_GE(g, 1);
      EXPECT_LT(g, static_cast<double>(n));
    }
    Matrix<double> p = identity(n).colwise().reverse();
    p.row(0) *= -1;
    EXPECT_EQ(test::l4_norm4(p), static_cast<double>(n));
  }
  Matrix<double> hadamard(4, 4);
  hadamard << 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1;
  EXPECT_EQ(test::l4_norm4(hadamard / 2), 1);
}

TEST(L4Norm, NearItsMaximumMeansNearASignedPermutation) {
  for (const Index n : {5, 20}) {
    for (const double epsilon : {1e-4, 1e-2, 0.1, 0.5, 2.0}) {
      const Matrix<double> w = near_identity(n, epsilon, 11);
      const double shortfall = 1 - test::l4_norm4(w) / static_cast<double>(n);
      EXPECT_LE(std::pow(test::distance_to_signed_permutation(w), 2) / static_cast<double>(n),
                2 * shortfall * (1 + 1e-9));
    }
  }
}

TEST(Algorithm1, EveryRandomStartReachesASignedPermutation) {
  const Index n = 50;
  Options options = test::msp();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    options.seed = seed;
    const FitResult result = fit_on_group(identity(n), options);
    EXPECT_EQ(result.summary.termination, Termination::kConverged);
    EXPECT_NEAR(result.summary.objective, static_cast<double>(n), 1e-9) << "seed " << seed;
    EXPECT_LE(test::distance_to_signed_permutation(result.model.dictionary), 1e-9) << "seed " << seed;
  }
}

TEST(Algorithm1, RecoversAGivenDictionary) {
  const Matrix<double> d = test::random_orthogonal<double>(20, 77);
  const Recovery recovery = compare(fit_on_group(d).model, d.transpose());
  EXPECT_LE(recovery.error, 1e-12);
}

// Iterations until ‖A‖₄⁴/n is 1 to six digits.
int iterations_to_the_maximum(Index n, double step, std::uint64_t seed) {
  Options options = test::msp();
  options.seed = seed;
  options.step = step;
  const FitResult result = fit_on_group(identity(n), options);
  for (const IterationRecord& record : result.summary.history) {
    if (record.objective >= static_cast<double>(n) * (1 - 1e-6)) return record.iteration;
  }
  ADD_FAILURE() << "n = " << n << ", step " << step << ": the maximum wasn't reached from seed " << seed;
  return result.summary.iterations;
}

double mean_iterations(Index n, double step) {
  int total = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) total += iterations_to_the_maximum(n, step, seed);
  return total / 20.0;
}

TEST(Algorithm3, TakesFewerIterationsWithLargerSteps) {
  for (const Index n : {5, 25}) {
    const double at_1 = mean_iterations(n, 1);
    const double at_10 = mean_iterations(n, 10);
    EXPECT_LT(at_10, at_1);
    for (const double step : {100.0, std::numeric_limits<double>::infinity()}) {
      EXPECT_NEAR(mean_iterations(n, step), at_10, 1.0) << "n = " << n << ", step " << step;
    }
  }
}

TEST(Algorithm3, IsThePrintedUpdate) {
  const Matrix<double> a = test::random_orthogonal<double>(6, 2);
  Options options = test::msp();
  options.init = Initialization::kGiven;
  options.initial_dictionary = a;
  options.step = 0.37;
  options.max_iterations = 1;
  const Matrix<double> expected = project_orthogonal(Matrix<double>(a + 0.37 * 4 * cube(a)));
  // The same rows up to canonical order and sign.
  const Matrix<double> overlap = fit_on_group(identity(6), options).model.dictionary * expected.transpose();
  EXPECT_LE(test::distance_to_signed_permutation(overlap), 1e-13);
}

}  // namespace
}  // namespace orthodict
