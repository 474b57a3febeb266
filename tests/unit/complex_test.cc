// SPDX-License-Identifier: Apache-2.0
// Complex samples: the unitary group, and everything around it.
#include "orthodict/complex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "files.h"
#include "linalg/complex.h"
#include "linalg/polar.h"
#include "orthodict/orthodict.h"
#include "simd_targets.h"
#include "stretches.h"
#include "support.h"
#include "thread_ranks.h"

namespace orthodict {
namespace {

using Complex = std::complex<double>;
using ComplexMatrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

ComplexMatrix gaussian(Index rows, Index columns, std::uint64_t seed) {
  return as_complex(RowMatrix<double>(test::random_gaussian(rows, 2 * columns, seed))) / std::numbers::sqrt2;
}

ComplexMatrix unitary(Index n, std::uint64_t seed) {
  return Eigen::HouseholderQR<ComplexMatrix>(gaussian(n, n, seed)).householderQ();
}

ComplexMatrix polar(const ComplexMatrix& square) {
  const Eigen::JacobiSVD<ComplexMatrix, Eigen::NoQRPreconditioner> svd(square,
                                                                       Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().adjoint();
}

double l4(const ComplexMatrix& w) { return w.array().abs2().square().sum(); }

// φ(|z|), its gradient and half of its Laplacian, for one coefficient at the place `at` of a block of others.
struct Stretched {
  double value = 0;
  Complex gradient = 0;
  double curvature = 0;
};
Stretched stretched(const Stretch& stretch, Complex z, Index at = 0, Index coefficients = 1) {
  std::vector<double> codes(static_cast<std::size_t>(2 * coefficients), 0.1);
  const auto place = static_cast<std::size_t>(2 * at);
  codes[place] = z.real();
  codes[place + 1] = z.imag();
  std::vector<double> value(codes.size()), derivative(codes.size()), curvature(codes.size());
  stretch.apply_to_complex(codes.data(), 2 * coefficients, 1, {value.data(), derivative.data(), curvature.data()});
  EXPECT_EQ(codes[place], derivative[place]);
  EXPECT_EQ(codes[place + 1], derivative[place + 1]);
  EXPECT_EQ(value[place], value[place + 1]);
  EXPECT_EQ(curvature[place], curvature[place + 1]);
  return {value[place] + value[place + 1], {codes[place], codes[place + 1]}, curvature[place]};
}

void check_stretches() {
  constexpr double kStep = 1e-5;
  for (const std::string example : test::stretch_examples()) {
    const auto stretch = make_stretch(example);
    const auto at = [&](Complex z) { return stretched(*stretch, z); };
    EXPECT_EQ(at(0).gradient, Complex(0)) << example;
    for (Index i = 0; i < 40; ++i) {
      const Complex z = std::polar(0.07 * static_cast<double>(i + 1) + 0.0013, static_cast<double>(i));
      const Stretched here = at(z);
      EXPECT_NEAR(at(std::abs(z)).value, here.value, 1e-12 * (1 + here.value)) << example;
      Complex gradient = 0;
      double laplacian = 0;
      for (const Complex direction : {Complex(1, 0), Complex(0, 1)}) {
        const Stretched after = at(z + kStep * direction), before = at(z - kStep * direction);
        gradient += direction * ((after.value - before.value) / (2 * kStep));
        laplacian += (std::conj(direction) * (after.gradient - before.gradient)).real() / (2 * kStep);
      }
      const double scale = 1 + std::abs(here.gradient) + std::abs(here.curvature);
      EXPECT_LE(std::abs(gradient - here.gradient), 1e-6 * scale * scale) << example << " at " << z;
      EXPECT_NEAR(laplacian / 2, here.curvature, 1e-6 * scale * scale) << example << " at " << z;
      // In whole vectors and in what is left over.
      for (const Index place : {0, 3, 8, 10}) {
        EXPECT_NEAR(std::abs(stretched(*stretch, z, place, 11).gradient - here.gradient), 0, 1e-13 * scale) << example;
      }
    }
  }
}

TEST(Complex, StretchesAreGradientsOfFunctionsOfTheModulus) {
  test::for_each_simd_target([](const char* target) {
    SCOPED_TRACE(target);
    check_stretches();
  });
}

// The step of the paper's algorithms over U(n), written with complex numbers.
ComplexMatrix step(const ComplexMatrix& a, const ComplexMatrix& y) {
  const ComplexMatrix z = a * y.transpose();
  const ComplexMatrix g = (z.array() * z.array().abs2().cast<Complex>()).matrix() * y.conjugate();
  return polar(g);
}

Synthetic problem(Index n, Index samples, double theta, std::uint64_t seed = 1, double condition = 1,
                  double noise = 0) {
  return Synthetic({.dimension = n,
                    .samples = samples,
                    .theta = theta,
                    .condition = condition,
                    .noise = noise,
                    .seed = seed,
                    .is_complex = true});
}

std::unique_ptr<Samples> view(const RowMatrix<double>& interleaved) {
  return view_samples(ElementType::kC128, interleaved.data(), interleaved.cols() / 2, interleaved.rows(),
                      interleaved.cols() / 2, 1);
}

FitResult fit_problem(const Synthetic& data, const Options& options = {}) {
  const RowMatrix<double> y = data.samples();
  return fit(*view(y), options);
}

// The real form of a complex matrix.
Matrix<double> real_form(const ComplexMatrix& m) {
  return linalg::with_multiples_by_i(as_real(ComplexMatrix(m.conjugate())));
}

TEST(Complex, RealFormsMultiplyAsComplexMatricesDo) {
  const ComplexMatrix a = gaussian(3, 4, 1), b = gaussian(4, 2, 2);
  EXPECT_LE((real_form(a * b) - real_form(a) * real_form(b)).norm(), 1e-14);
  EXPECT_LE((real_form(a.adjoint()) - real_form(a).transpose()).norm(), 1e-15);
  const RowMatrix<double> y = as_real(ComplexMatrix(b.transpose())), z = as_real(ComplexMatrix((a * b).transpose()));
  const Matrix<double> products = z.transpose() * y;
  EXPECT_LE((linalg::complex_products(products) - real_form(a * b * b.adjoint())).norm(), 1e-13);
  EXPECT_EQ(linalg::nearest_real_form(real_form(a)), real_form(a));
}

TEST(Complex, PolarFactorOfARealFormIsThatOfTheComplexMatrix) {
  const ComplexMatrix a = gaussian(8, 8, 3);
  EXPECT_LE((linalg::polar(real_form(a)) - real_form(polar(a))).norm(), 1e-12);
}

// 1 ≤ ‖A‖₄⁴ ≤ n, with equality at the right for phase permutations alone, and at the left for matrices like the DFT.
TEST(Complex, FourthPowersOnTheUnitaryGroupAreBetween1AndN) {
  constexpr Index n = 6;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double value = l4(unitary(n, seed));
    EXPECT_GE(value, 1);
    EXPECT_LE(value, static_cast<double>(n));
  }
  ComplexMatrix dft(n, n), phases = ComplexMatrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k)
      dft(i, k) = std::polar(1 / std::sqrt(6.0), 2 * std::numbers::pi * static_cast<double>(i * k) / 6);
    phases(i, (i + 2) % n) = std::polar(1.0, 0.7 * static_cast<double>(i));
  }
  EXPECT_NEAR(l4(dft), 1, 1e-14);
  EXPECT_NEAR(l4(phases), static_cast<double>(n), 1e-14);
}

// Phase permutations are the fixed points that attract, at a cubic rate.
TEST(Complex, StepOnTheGroupConvergesAtACubicRate) {
  constexpr Index n = 8;
  ComplexMatrix a = ComplexMatrix::Identity(n, n);
  for (Index i = 0; i < n; ++i) a(i, i) = std::polar(1.0, static_cast<double>(i));
  EXPECT_LE((step(a, ComplexMatrix::Identity(n, n)) - a).norm(), 1e-14);
  a += 0.05 * gaussian(n, n, 4);
  const RowMatrix<double> start = as_real(ComplexMatrix(polar(a).conjugate()));
  const RowMatrix<double> identity = as_real(ComplexMatrix::Identity(n, n));
  std::vector<double> distances;  // of A from the phase permutation that it leads to
  Options options{.method = Method::kMsp, .max_iterations = 3, .tolerance = 0, .initial_dictionary = start};
  options.callback = [&](const Iterate& iterate) {
    const Matrix<double> sizes = as_complex(iterate.model().dictionary).cwiseAbs();
    distances.push_back(std::sqrt(std::max(n - sizes.rowwise().maxCoeff().squaredNorm(), 0.0)));
    return false;
  };
  (void)fit(*view(identity), options);
  ASSERT_GE(distances.size(), 3U);
  EXPECT_LE(distances[1], 20 * std::pow(distances[0], 3));
  EXPECT_GT(distances[0], 0.1);
  EXPECT_LE(distances[2], 20 * std::pow(distances[1], 3) + 1e-7);
}

TEST(Complex, StepIsThatOfTheComplexFormulas) {
  const Synthetic data = problem(7, 200, 0.4);
  const RowMatrix<double> y = data.samples();
  const ComplexMatrix start = unitary(7, 5);
  const Options options{.method = Method::kMsp, .max_iterations = 3, .initial_dictionary = as_real(start.conjugate())};
  ComplexMatrix a = start;
  for (int i = 0; i < 3; ++i) a = step(a, as_complex(y));
  const RowMatrix<double> expected = as_real(a.conjugate());
  test::for_each_simd_target([&](const char* target) {
    const Recovery recovery = compare(fit(*view(y), options).model, expected);
    EXPECT_LE(recovery.error, 1e-13) << target;
    EXPECT_GE(recovery.worst_cosine, 1 - 1e-13) << target;
  });
}

TEST(Complex, ObjectiveNeverFallsForConvexStretches) {
  const Synthetic data = problem(6, 300, 0.5);
  for (const char* stretch : {"l4", "l3", "power:2.5", "power:6", "soft:0.5", "hard:0.3", "mixture:0.3,0.5,1.5"}) {
    const FitResult result = fit_problem(data, {.stretch = stretch, .max_iterations = 40});
    const auto& history = result.summary.history;
    ASSERT_GT(history.size(), 2U) << stretch;
    for (std::size_t i = 1; i < history.size(); ++i) {
      EXPECT_GE(history[i].objective, history[i - 1].objective * (1 - 1e-12)) << stretch << " at " << i;
    }
  }
}

// E∇‖AY‖₄⁴/4 = pθ((1 − θ)·2·(W∘|W|²)D_oᴴ + 2θA), with W = A·D_o.
TEST(Complex, ExpectedGradientHasTheKurtosisTwo) {
  constexpr Index n = 4, p = 400000;
  const double theta = 0.4;
  const Synthetic data = problem(n, p, theta, 3);
  const RowMatrix<double> y = data.samples();
  const auto samples = as_complex(y);
  const ComplexMatrix a = unitary(n, 7);
  const ComplexMatrix z = a * samples.transpose();
  const ComplexMatrix g = (z.array() * z.array().abs2().cast<Complex>()).matrix() * samples.conjugate();
  const ComplexMatrix d = as_complex(data.dictionary()).transpose();
  const ComplexMatrix w = a * d;
  const ComplexMatrix expected =
      theta * ((1 - theta) * 2 * (w.array() * w.array().abs2().cast<Complex>()).matrix() * d.adjoint() + 2 * theta * a);
  EXPECT_LE((g / p - expected).norm(), 0.03 * expected.norm());
}

TEST(Complex, BiasOfTheEstimateIsThatOfTheFormula) {
  const Synthetic data = problem(8, 20000, 0.3);
  Options options{.stretch = "l4", .remove_bias = true, .max_iterations = 1};
  const FitResult estimated = fit_problem(data, options);
  options.theta = 0.3;
  const FitResult known = fit_problem(data, options);
  EXPECT_GE(compare(estimated.model, known.model.dictionary).mean_cosine, 0.999);
}

TEST(Complex, SecondOrderConvergesToTheLastDigits) {
  const Synthetic data = problem(8, 2000, 0.3, 2, 5);
  for (const char* stretch : {"l4", "logcosh"}) {
    const Options options{
        .stretch = stretch, .dictionary = Dictionary::kComplete, .accelerate = true, .tolerance = 1e-11};
    const FitResult result = fit_problem(data, options);
    EXPECT_EQ(result.summary.termination, Termination::kConverged) << stretch;
    EXPECT_LE(result.summary.iterations, 60) << stretch;
    EXPECT_GE(compare(result.model, data.dictionary()).worst_cosine, 0.99) << stretch;
  }
}

TEST(Complex, AutoRecoversTheDictionaryExactly) {
  for (const double theta : {0.1, 0.3, 0.5}) {
    const Synthetic data = problem(20, 400, theta);
    const FitResult result = fit_problem(data);
    const Recovery recovery = compare(result.model, data.dictionary());
    EXPECT_LE(recovery.error, 1e-12) << theta;
    EXPECT_GE(recovery.worst_cosine, 1 - 1e-12) << theta;
    EXPECT_EQ(result.summary.established, 20) << theta;
    EXPECT_EQ(result.summary.dimension, 20);
    EXPECT_EQ(result.summary.rank, 20);
    EXPECT_EQ(result.summary.atoms, 20);
    EXPECT_NEAR(*result.summary.theta, theta, 0.05);
  }
}

TEST(Complex, CompleteDictionariesAreRecoveredThroughWhitening) {
  const Synthetic data = problem(12, 1500, 0.3, 2, 20);
  const FitResult result = fit_problem(data);
  EXPECT_EQ(result.summary.dictionary, Dictionary::kComplete);
  EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-12);
  const auto analysis = as_complex(result.model.analysis), dictionary = as_complex(result.model.dictionary);
  EXPECT_LE((analysis * dictionary.transpose() - ComplexMatrix::Identity(12, 12)).norm(), 1e-9);
}

TEST(Complex, NoisyAtomsAreEstablishedOnTheirMerits) {
  const Synthetic data = problem(10, 4000, 0.2, 3, 1, 0.1);
  const FitResult result = fit_problem(data);
  const Recovery recovery = compare(result.model, data.dictionary());
  EXPECT_LE(recovery.error, 0.01);
  EXPECT_EQ(result.summary.established, 10);
  EXPECT_GE(result.model.confidence.minCoeff(), 0.95);
  EXPECT_NEAR(*result.summary.noise, 0.1, 0.02);
}

TEST(Complex, NothingIsEstablishedInGaussianSamples) {
  const RowMatrix<double> y = as_real(gaussian(3000, 8, 9));
  const FitResult result = fit(*view(y));
  EXPECT_EQ(result.summary.termination, Termination::kNotEstablished);
  EXPECT_EQ(result.summary.established, 0);
}

TEST(Complex, MeanIsSubtractedAndFound) {
  const Synthetic data = problem(9, 900, 0.3, 4, 5);
  RowMatrix<double> y = data.samples();
  const Eigen::RowVectorXd mean = test::random_gaussian(1, 18, 3);
  y.rowwise() += mean;
  const FitResult result = fit(*view(y));
  EXPECT_TRUE(result.summary.center);
  EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-10);
  EXPECT_LE((result.model.mean - mean.transpose()).norm(), 1e-5);
}

TEST(Complex, LeadingComponentsGiveFewerAtoms) {
  const Synthetic data = problem(4, 2000, 0.3, 4);
  const ComplexMatrix frame = unitary(10, 3).topRows(4);
  const RowMatrix<double> y = as_real(as_complex(data.samples()) * frame);
  const FitResult result = fit(*view(y));
  EXPECT_EQ(result.model.atoms(), 4);
  EXPECT_EQ(result.summary.rank, 4);
  EXPECT_LE(compare(result.model, as_real(as_complex(data.dictionary()) * frame)).error, 1e-10);
  const FitResult orthogonal = fit(*view(y), {.dictionary = Dictionary::kOrthogonal});
  EXPECT_EQ(orthogonal.model.atoms(), 10);
  const auto atoms = as_complex(orthogonal.model.dictionary);
  EXPECT_LE((atoms * atoms.adjoint() - ComplexMatrix::Identity(10, 10)).norm(), 1e-10);
}

TEST(Complex, RealSamplesGivenAsComplexHaveTheSameAtoms) {
  const Synthetic real({.dimension = 16, .samples = 320, .theta = 0.3, .seed = 5});
  const RowMatrix<double> y = real.samples();
  const FitResult plain = fit(y);
  const ComplexMatrix complex = y.cast<Complex>();
  const FitResult result = fit(complex);
  EXPECT_TRUE(result.model.is_complex);
  const Recovery recovery = compare(result.model, as_real(plain.model.dictionary));
  EXPECT_LE(recovery.error, 1e-10);
  EXPECT_GE(recovery.worst_cosine, 1 - 1e-10);
}

TEST(Complex, SourcesNeedNotBeCircular) {
  Synthetic real({.dimension = 12, .samples = 600, .theta = 0.3, .seed = 6});
  // Sources on lines through zero of the complex plane, each at its own angle.
  const ComplexMatrix d = unitary(12, 8);
  const RowMatrix<double> x = Synthetic({.dimension = 12,
                                         .samples = 600,
                                         .theta = 0.3,
                                         .seed = 6,
                                         .dictionary = RowMatrix<double>(test::identity(12))})
                                  .samples();
  const RowMatrix<double> y = as_real(x.cast<Complex>() * d);
  EXPECT_LE(compare(fit(*view(y)).model, as_real(d)).error, 1e-10);
}

TEST(Complex, LargestEntryOfAnAtomIsRealAndPositive) {
  const FitResult result = fit_problem(problem(9, 300, 0.4));
  const auto atoms = as_complex(result.model.dictionary);
  for (Index i = 0; i < atoms.rows(); ++i) {
    Index at = 0;
    (void)atoms.row(i).cwiseAbs().maxCoeff(&at);
    EXPECT_GT(atoms(i, at).real(), 0);
    EXPECT_EQ(atoms(i, at).imag(), 0);
  }
  EXPECT_EQ(result.model.analysis, linalg::conjugate(result.model.dictionary));
}

TEST(Complex, CodesAndSamplesFollowTheFormulasOfTheModel) {
  const Synthetic data = problem(8, 500, 0.3, 2, 10);
  const RowMatrix<double> y = data.samples();
  const FitResult result = fit(*view(y));
  const RowMatrix<double> codes = encode(result.model, *view(y));
  const auto expected = (as_complex(y).rowwise() - as_complex(result.model.mean).transpose()) *
                        as_complex(result.model.analysis).transpose();
  EXPECT_LE((as_complex(codes) - expected).norm(), 1e-11);
  EXPECT_LE((decode(result.model, *view(codes)) - y).norm(), 1e-8);
  const RowMatrix<double> few = encode(result.model, *view(y), {.top = 2});
  EXPECT_TRUE(((as_complex(few).cwiseAbs().array() > 0).rowwise().count() <= 2).all());
  EXPECT_EQ(test::error_of([&] { (void)encode(result.model, *view(y), {.nonzeros = 2}); }).first, Fault::kOption);
  EXPECT_NE(test::error_of([&] { (void)encode(result.model, *samples_in_rows(y)); }).second.find("complex"),
            std::string::npos);
}

TEST(Complex, ModelComesBackFromItsBytes) {
  const Model model = fit_problem(problem(5, 200, 0.4)).model;
  const Model again = model_from_bytes(model_to_bytes(model));
  EXPECT_TRUE(again.is_complex);
  EXPECT_EQ(again.dictionary, model.dictionary);
  EXPECT_EQ(again.analysis, model.analysis);
  EXPECT_EQ(again.mean, model.mean);
}

TEST(Complex, ThreadsDontChangeABit) {
  for (const char* stretch : {"", "l4"}) {
    std::string bytes;
    for (const int threads : {1, 3}) {
      Options options{.threads = threads};
      if (*stretch != 0) options.stretch = stretch;
      const std::string now = model_to_bytes(fit_problem(problem(10, 4000, 0.3, 3, 1, 0.05), options).model);
      if (!bytes.empty()) {
        EXPECT_EQ(now, bytes);
      }
      bytes = now;
    }
  }
}

TEST(Complex, RanksDontChangeABit) {
  const RowMatrix<double> y = problem(8, 3000, 0.3, 3, 1, 0.05).samples();
  for (const bool names_stretch : {false, true}) {
    Options options;
    if (names_stretch) options.stretch = "l4";
    const std::string alone = model_to_bytes(fit(*view(y), options).model);
    const auto results = test::on_ranks(3, [&](const std::shared_ptr<Ranks>& ranks) {
      const Index first = ranks->rank() * 1000;
      const RowMatrix<double> part = y.middleRows(first, 1000);
      const auto own = view(part);
      const auto all = samples_of_ranks(*own, *ranks);
      Options shared = options;
      shared.ranks = ranks;
      return model_to_bytes(fit(*all, shared).model);
    });
    for (const auto& own : results) {
      ASSERT_TRUE(own.result) << own.error;
      EXPECT_EQ(*own.result, alone);
    }
  }
}

using ComplexFiles = test::FolderTest;

TEST_F(ComplexFiles, ResumedRunsGiveTheSameBits) {
  const RowMatrix<double> y = problem(8, 2000, 0.4, 3, 4, 0.1).samples();
  const Model whole = fit(*view(y)).model;
  for (const int stopped_after : {3, 20, 60}) {
    (void)fit(*view(y), {.max_iterations = stopped_after, .checkpoint = path("c.npz")});
    EXPECT_EQ(model_to_bytes(fit(*view(y), {.resume = path("c.npz")}).model).size(), model_to_bytes(whole).size());
    const Model resumed = fit(*view(y), {.resume = path("c.npz")}).model;
    EXPECT_EQ(resumed.dictionary, whole.dictionary);
    EXPECT_EQ(resumed.confidence, whole.confidence);
  }
  const RowMatrix<double> real = y;
  EXPECT_NE(test::error_of([&] { (void)fit(real, {.resume = path("c.npz")}); }).second.find("another run"),
            std::string::npos);
}

TEST_F(ComplexFiles, AreWrittenAndReadAsTheyAre) {
  const RowMatrix<double> y = problem(5, 40, 0.4).samples();
  for (const ElementType type : {ElementType::kC64, ElementType::kC128}) {
    const auto writer = open_row_writer(path("y.npy"), type, 40, 5);
    writer->append(y);
    writer->commit();
    const Array array = read_array(path("y.npy"));
    EXPECT_EQ(array.type, type);
    EXPECT_EQ(array.shape, (std::vector<Index>{40, 5}));
    EXPECT_LE((to_matrix(array) - y).norm(), type == ElementType::kC64 ? 1e-6 : 0);
    const auto samples = read_samples(path("y.npy"));
    EXPECT_TRUE(samples->is_complex());
    EXPECT_EQ(samples->dimension(), 10);
  }
  EXPECT_EQ(test::error_of([&] { (void)open_row_writer(path("y.csv"), ElementType::kC64, 40, 5); }).first,
            Fault::kOption);
}

TEST(Complex, StreamsGainFromEverySection) {
  const Synthetic data = problem(8, 6000, 0.2, 3, 1, 0.1);
  const RowMatrix<double> y = data.samples();
  Index given = 0;
  const FitResult result = fit_stream(
      [&](const std::stop_token&) -> std::unique_ptr<Samples> {
        if (given == y.rows()) return nullptr;
        given += 1000;
        return view_samples(ElementType::kC128, y.row(given - 1000).data(), 8, 1000, 8, 1);
      },
      {.seed = 2});
  EXPECT_EQ(result.summary.samples, 6000);
  const RowMatrix<double> section = y.topRows(1000);
  EXPECT_LE(compare(result.model, data.dictionary()).error,
            0.9 * compare(fit(*view(section)).model, data.dictionary()).error);
  const auto atoms = as_complex(result.model.dictionary), analysis = as_complex(result.model.analysis);
  EXPECT_LE((atoms * analysis.transpose() - ComplexMatrix::Identity(8, 8)).norm(), 1e-10);
}

TEST(Complex, SinglePrecisionAndColumnsAreViewsToo) {
  const Synthetic data = problem(10, 300, 0.3);
  const Eigen::MatrixXcf columns = as_complex(data.samples()).transpose().cast<std::complex<float>>();
  const FitResult result = fit(*samples_in_columns(columns));
  EXPECT_LE(compare(result.model, data.dictionary()).error, 1e-6);
  const Eigen::MatrixXcd rows = as_complex(data.samples());  // column-major: features are strided
  EXPECT_LE(compare(fit(rows).model, data.dictionary()).error, 1e-12);
}

TEST(Complex, WhatNeedsRealSamplesRefusesComplexOnes) {
  const Synthetic data = problem(4, 100, 0.4);
  const auto fault_of = [&](const Options& options) {
    return test::error_of([&] { (void)fit_problem(data, options); });
  };
  EXPECT_NE(fault_of({.dictionary = Dictionary::kOvercomplete}).second.find("complex"), std::string::npos);
  EXPECT_NE(fault_of({.runs = 3}).second.find("complex"), std::string::npos);
}

}  // namespace
}  // namespace orthodict
