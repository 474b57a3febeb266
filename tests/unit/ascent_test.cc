// SPDX-License-Identifier: Apache-2.0
// The quasi-Newton method of Options::accelerate: derivatives against differences, its course, and where it ends.
#include "solver/ascent.h"

#include "orthodict/projection.h"
#include "support.h"

namespace orthodict::solver {
namespace {

// Samples x in columns, seen through a stretch.
struct Problem {
  Matrix<double> x;
  std::shared_ptr<const Stretch> stretch;
  Vector<double> signs;

  [[nodiscard]] Slope slope(const Matrix<double>& a) const {
    const Matrix<double> z = a * x;
    const auto mean = [&](double (Stretch::*f)(double) const) {
      return Vector<double>(z.unaryExpr([&](double v) { return ((*stretch).*f)(v); }).rowwise().mean());
    };
    const Matrix<double> derivative = z.unaryExpr([&](double v) { return stretch->derivative(v); });
    return {.values = mean(&Stretch::value),
            .curvatures = mean(&Stretch::second_derivative),
            .correlation = derivative * x.transpose() / static_cast<double>(x.cols())};
  }
  [[nodiscard]] Matrix<double> covariance() const { return x * x.transpose() / static_cast<double>(x.cols()); }
  [[nodiscard]] Derivatives at(const Matrix<double>& a) const { return derivatives(covariance(), signs, a, slope(a)); }
  // F where a step leads.
  [[nodiscard]] double after(const Matrix<double>& a, const Vector<double>& step) const {
    return signs.dot(slope(project_orthogonal(moved(a, step))).values);
  }
};

Vector<double> unit(Index size, Index i, double length) {
  Vector<double> step = Vector<double>::Zero(size);
  step[i] = length;
  return step;
}

// Without the part of N that lies in the span of A.
Vector<double> tangent(const Matrix<double>& a, Vector<double> step) {
  if (a.rows() >= a.cols()) return step;
  auto n = step.tail(a.size()).reshaped(a.rows(), a.cols());
  n -= (n * a.transpose() * a).eval();
  return step;
}

// k×d with orthonormal rows, or columns if k > d.
Matrix<double> orthonormal(Index k, Index d) {
  return test::random_orthogonal<double>(std::max(k, d), 3).topLeftCorner(k, d);
}

TEST(AscentDerivatives, GradientIsThatOfTheObjective) {
  for (const auto& [k, d] : {std::pair<Index, Index>{4, 4}, {2, 5}, {5, 3}}) {
    for (const char* name : {"logcosh", "l4", "soft:0.3"}) {
      Problem problem{
          .x = test::sparse_samples(d, 400), .stretch = make_stretch(name), .signs = Vector<double>::Ones(k)};
      problem.signs[1] = -1;
      const Matrix<double> a = orthonormal(k, d);
      const Derivatives at = problem.at(a);
      EXPECT_NEAR(at.objective, problem.after(a, Vector<double>::Zero(at.gradient.size())), 1e-12);
      // Differences of both sides have errors of h² times a third derivative of order one, and of ε/h.
      constexpr double kStep = 1e-5, kError = 1e-8;
      for (Index i = 0; i < at.gradient.size(); ++i) {
        const Vector<double> step = tangent(a, unit(at.gradient.size(), i, kStep));
        const double rise = (problem.after(a, step) - problem.after(a, -step)) / (2 * kStep);
        EXPECT_NEAR(at.gradient.dot(step) / kStep, rise, kError * (1 + std::abs(rise)))
            << name << ' ' << k << " of " << d << ", " << i;
      }
    }
  }
}

// All pairs of two symmetric sources, which are independent to the last digit.
Matrix<double> independent_pairs(const Vector<double>& first, const Vector<double>& second) {
  Matrix<double> x(2, first.size() * second.size());
  for (Index j = 0; j < x.cols(); ++j) x.col(j) << first[j / second.size()], second[j % second.size()];
  return x;
}

TEST(AscentDerivatives, CurvatureIsExactForIndependentCoefficients) {
  const Vector<double> one{{-3, -0.2, -0.1, 0, 0.1, 0.2, 3}}, other{{-2, -0.5, 0, 0, 0.5, 2}};
  for (const char* name : {"l4", "logcosh"}) {
    const double sign = name == std::string("l4") ? 1 : -1;  // sparse sources are at maxima
    for (const Index k : {2, 1}) {
      const Problem problem{.x = independent_pairs(one, other),
                            .stretch = make_stretch(name),
                            .signs = Vector<double>::Constant(k, sign)};
      const Matrix<double> a = test::identity(2).topRows(k);
      const Derivatives at = problem.at(a);
      const Index place = at.gradient.size() - 1;  // the turn of the pair, or of the single atom out of its span
      EXPECT_NEAR(at.gradient[place], 0, 1e-14);
      constexpr double kStep = 1e-3;
      const Vector<double> step = unit(at.gradient.size(), place, kStep);
      const double bend = (2 * at.objective - problem.after(a, step) - problem.after(a, -step)) / (kStep * kStep);
      if (name == std::string("l4")) {
        EXPECT_NEAR(at.curvature[place], bend, 1e-4 * std::abs(bend)) << k;  // up to h² times the fourth derivative
      } else {
        EXPECT_GT(at.curvature[place], 0);  // unwhitened, so that the curvature may have either sign
      }
    }
  }
}

TEST(AscentDerivatives, SmallAndNegativeCurvaturesBecomePositive) {
  // Gaussian coefficients have no curvature, and sub-Gaussian ones that of a minimum.
  const Vector<double> flat{{-1.5, -0.5, 0.5, 1.5}};
  const Problem problem{
      .x = independent_pairs(flat, flat), .stretch = make_stretch("l4"), .signs = Vector<double>::Ones(2)};
  const Derivatives at = problem.at(test::identity(2));
  const double fourth = flat.array().pow(4).mean(), square = flat.array().square().mean();
  EXPECT_NEAR(at.curvature[0], 2 * (12 * square * square - 4 * fourth), 1e-12);  // the magnitude
  Problem gaussian = problem;
  gaussian.x = test::random_gaussian(2, 200000, 1);
  const Derivatives flat_at = gaussian.at(test::identity(2));
  EXPECT_GE(flat_at.curvature[0], 0.01 * 2 * 4 * 2.9);  // a hundredth of 2⟨φ'(z)z⟩ = 2·4·3
}

TEST(LimitedMemoryTest, GivesTheInverseHessianAlongWhatItRemembers) {
  const Vector<double> hessian{{1, 2, 3, 4}}, diagonal = Vector<double>::Ones(4);
  LimitedMemory memory(3);
  for (Index i = 0; i < 3; ++i) memory.add(unit(4, i, 0.5), hessian.cwiseProduct(unit(4, i, 0.5)));
  EXPECT_LE((memory.times(Vector<double>::Ones(4), diagonal) - Vector<double>{{1, 1. / 2, 1. / 3, 1}}).norm(), 1e-15);
  memory.add(unit(4, 3, 1), -unit(4, 3, 1));                       // negative curvature is left out
  memory.add(unit(4, 3, 1), hessian.cwiseProduct(unit(4, 3, 1)));  // drops the oldest
  EXPECT_LE((memory.times(Vector<double>::Ones(4), diagonal) - Vector<double>{{1, 1. / 2, 1. / 3, 1. / 4}}).norm(),
            1e-15);
  memory.forget();
  EXPECT_EQ(memory.times(hessian, hessian), Vector<double>(Vector<double>::Ones(4)));
}

Options accelerated(const std::string& stretch, Dictionary dictionary = Dictionary::kComplete) {
  Options options = test::msp();
  options.stretch = stretch;
  options.dictionary = dictionary;
  options.center = dictionary == Dictionary::kComplete;
  options.accelerate = true;
  return options;
}

// Nearly Gaussian sources, of which plain steps don't make much: z + z³/50 of normal z, mixed by any matrix.
Matrix<double> hard_samples(Index n, Index p) {
  const Matrix<double> z = test::random_gaussian(n, p, 5);
  return test::random_gaussian(n, n, 7) * (z.array() + 0.02 * z.array().cube()).matrix();
}

// Coefficients of unit variance, in columns.
Matrix<double> unit_codes(const Model& model, const Matrix<double>& y) {
  Matrix<double> z = model.analysis * (y.colwise() - Vector<double>(model.mean));
  z.array().colwise() /= z.array().square().rowwise().mean().sqrt().eval();
  return z;
}

// Σ s_i Σφ(z_i) with the signs for which atoms are near a maximum.
double objective_of(const Model& model, const Matrix<double>& y, const Stretch& stretch) {
  double sum = 0;
  for (const auto& z : unit_codes(model, y).rowwise()) {
    double tendency = 0, value = 0;
    for (const double v : z) {
      tendency += stretch.derivative(v) * v - stretch.second_derivative(v);
      value += stretch.value(v);
    }
    sum += tendency > 0 ? value : -value;
  }
  return sum;
}

// The left side of the inequality of Options::tolerance, of a square model of whitened samples. The signs of a pair are
// those that make it small: only one choice does.
double gradient_of(const Model& model, const Matrix<double>& y, const Stretch& stretch) {
  const Matrix<double> z = unit_codes(model, y);
  const Matrix<double> products =
      z.unaryExpr([&](double v) { return stretch.derivative(v); }) * z.transpose() / static_cast<double>(z.cols());
  double most = 0;
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double one = products(i, j), other = products(j, i);
      const double least = std::min(std::abs(one - other), std::abs(one + other));
      most = std::max(most, least / (products(i, i) + products(j, j)));
    }
  }
  return most;
}

TEST(Acceleration, ConvergesToTheLastDigitsWherePlainStepsCreep) {
  const Matrix<double> y = hard_samples(12, 1000);
  Options options = accelerated("logcosh");
  options.tolerance = 1e-8;
  const FitResult result = test::fit_columns(y, options);
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_LE(*result.summary.history.back().step, 1e-8);
  EXPECT_LE(gradient_of(result.model, y, *make_stretch("logcosh")), 1.1e-8);
  EXPECT_LE(result.summary.iterations, 150);
  EXPECT_NEAR(result.summary.objective, objective_of(result.model, y, *make_stretch("logcosh")),
              1e-6);  // signs follow the atoms
  options.accelerate = false;
  options.max_iterations = 150;
  EXPECT_EQ(test::fit_columns(y, options).summary.termination, Termination::kMaxIterations);
}

TEST(Acceleration, NeverLowersTheObjective) {
  for (const char* stretch : {"l4", "soft", "l3", "mixture:0.3,0.5,1.5"}) {
    for (const Dictionary dictionary : {Dictionary::kOrthogonal, Dictionary::kComplete}) {
      Options options = accelerated(stretch, dictionary);
      options.precision = Precision::kF64;  // otherwise passes are in single precision while the gradient is large
      const FitResult result = test::fit_columns(test::sparse_samples(10, 800), options);
      EXPECT_EQ(result.summary.termination, Termination::kConverged) << stretch;
      const auto& history = result.summary.history;
      for (std::size_t i = 1; i < history.size(); ++i) {
        EXPECT_GE(history[i].objective, history[i - 1].objective * (1 - 1e-12)) << stretch << ' ' << i;
      }
      EXPECT_EQ(history.back().objective, result.summary.objective);
    }
  }
}

TEST(Acceleration, FindsWhatPlainStepsFind) {
  const Matrix<double> y = test::sparse_samples(10, 3000);
  for (const char* stretch : {"l4", "soft"}) {
    Options options = accelerated(stretch, Dictionary::kOrthogonal);
    options.tolerance = 1e-9;
    options.init = Initialization::kGiven;
    options.initial_dictionary = test::fit_columns(y, {}).model.dictionary;
    const FitResult fast = test::fit_columns(y, options);
    options.accelerate = false;
    const FitResult plain = test::fit_columns(y, options);
    EXPECT_LE((fast.model.dictionary - plain.model.dictionary).norm(), 1e-7) << stretch;
  }
}

// Sub-Gaussian sources are at minima of Σφ where sparse ones are at maxima.
TEST(Acceleration, SeparatesSourcesOfBothSigns) {
  const Index n = 6, p = 5000;
  Matrix<double> sources = test::coefficients(n, p, 0.2, 0);
  const random::Stream stream(3, random::Purpose::kNoise);
  for (Index i = 0; i < n / 2; ++i) {
    for (Index j = 0; j < p; ++j) sources(i, j) = std::sqrt(12.0) * (stream.uniform(i, j) - 0.5);
  }
  const Matrix<double> mixing = test::random_gaussian(n, n, 2);
  const FitResult result = test::fit_columns(mixing * sources, accelerated("logcosh"));
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_LE(result.summary.iterations, 60);
  const RowMatrix<double> truth = mixing.transpose();
  EXPECT_GT(compare(result.model, truth).worst_cosine, 0.99);
}

TEST(Acceleration, LearnsFewerAtomsThanDimensions) {
  const Matrix<double> y = test::sparse_samples(8, 2000);
  Options options = accelerated("l4", Dictionary::kOrthogonal);
  options.atoms = 3;
  options.tolerance = 1e-9;
  const FitResult fast = test::fit_columns(y, options);
  EXPECT_EQ(fast.summary.termination, Termination::kConverged);
  const Matrix<double> gram = fast.model.dictionary * fast.model.dictionary.transpose();
  EXPECT_LE((gram - test::identity(3)).norm(), 1e-12);
  // A maximum is where plain steps stay.
  Options stay = options;
  stay.accelerate = false;
  stay.init = Initialization::kGiven;
  stay.initial_dictionary = fast.model.dictionary;
  stay.max_iterations = 5;
  EXPECT_LE((test::fit_columns(y, stay).model.dictionary - fast.model.dictionary).norm(), 1e-7);
}

TEST(Acceleration, LearnsFromSamplesThatDoNotSpanAllFeatures) {
  const Matrix<double> y =
      Matrix<double>(test::random_orthogonal<double>(8, 4).leftCols(5)) * test::sparse_samples(5, 2000);
  const FitResult result = test::fit_columns(y, accelerated("l4", Dictionary::kOrthogonal));
  EXPECT_EQ(result.summary.termination, Termination::kConverged);
  EXPECT_EQ(result.summary.rank, 5);
  const Matrix<double> gram = result.model.dictionary * result.model.dictionary.transpose();
  EXPECT_LE((gram - test::identity(8)).norm(), 1e-10);
}

TEST(Acceleration, GivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> y = hard_samples(12, 6000);
  Options options = accelerated("logcosh");
  options.threads = 1;
  const FitResult one = test::fit_columns(y, options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    const FitResult other = test::fit_columns(y, options);
    EXPECT_EQ(other.model.dictionary, one.model.dictionary) << threads;
    EXPECT_EQ(other.summary.iterations, one.summary.iterations);
  }
}

TEST(Acceleration, EndsWhereRoundingLeavesNoMoreToClimb) {
  Options options = accelerated("logcosh");
  options.tolerance = 0;  // raised to rounding
  options.precision = Precision::kMixed;
  const FitResult mixed = test::fit_columns(hard_samples(6, 1000), options);
  EXPECT_EQ(mixed.summary.termination, Termination::kConverged);
  options.precision = Precision::kF64;
  const FitResult exact = test::fit_columns(hard_samples(6, 1000), options);
  EXPECT_EQ(exact.summary.termination, Termination::kConverged);
  EXPECT_LE(*exact.summary.history.back().step, 1e-13);
}

}  // namespace
}  // namespace orthodict::solver
