// SPDX-License-Identifier: Apache-2.0
// Codes of models with more atoms than dimensions, and all coders on any model.
#include "orthodict/encoder.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "coding/row_coders.h"
#include "orthodict/metrics.h"
#include "support.h"

namespace orthodict {
namespace {

using test::error_of;
using test::random_gaussian;

constexpr Index kDimension = 20;
constexpr Index kAtoms = 45;
constexpr Index kSamples = 700;

Model overcomplete_model() {
  Model model;
  model.dictionary = random_gaussian(kAtoms, kDimension, 1).rowwise().normalized();
  model.mean = Vector<double>::LinSpaced(kDimension, -1, 1);
  return model;
}

RowMatrix<double> gaussian_rows(Index rows) { return random_gaussian(rows, kDimension, 3); }

// Codes with up to three atoms each, which are far apart in size.
RowMatrix<double> sparse_codes() {
  const random::Stream stream(5, random::Purpose::kCoefficients);
  RowMatrix<double> codes = RowMatrix<double>::Zero(kSamples, kAtoms);
  for (Index j = 0; j < kSamples; ++j) {
    for (int i = 0; i < 3; ++i) {
      const auto atom = static_cast<Index>(stream.uniform(j, i) * static_cast<double>(kAtoms));
      codes(j, atom) = (stream.uniform(j, 10 + i) < 0.5 ? -1 : 1) * std::pow(4, i);
    }
  }
  return codes;
}

double rms_of(const RowMatrix<double>& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); }

// Pursuit by chance finds sparse codes again, all but those that no greedy choice finds, with any number of threads.
TEST(Encoder, FindsSparseCodesWithMoreAtomsThanDimensions) {
  const Model model = overcomplete_model();
  const RowMatrix<double> codes = sparse_codes();
  const RowMatrix<double> x = (codes * model.dictionary).rowwise() + model.mean.transpose();
  const RowMatrix<double> found = encode(model, x);
  const Index right = ((found - codes).rowwise().norm().array() < 1e-9).count();
  EXPECT_GE(right, kSamples * 9 / 10);
  for (const int threads : {1, 2, 5}) {
    EXPECT_EQ(encode(model, x, {.threads = threads}), found);
    EXPECT_EQ(RowMatrix<double>(encode_sparse(model, x, {.threads = threads})), found);
  }
}

TEST(Encoder, PursuitEndsAtItsNumberOfAtomsOrItsError) {
  const Model model = overcomplete_model();
  const RowMatrix<double> x = gaussian_rows(kSamples);
  EXPECT_EQ(encode_sparse(model, x, {.nonzeros = 5}).nonZeros(), 5 * kSamples);
  // The error is the rms of the residual, in units of the samples' rms without the mean, or of `scale`.
  const double rms = rms_of(x.rowwise() - model.mean.transpose());
  for (const auto& [options, bound] :
       {std::pair{EncodeOptions{.error = 0.3}, 0.3 * rms}, std::pair{EncodeOptions{.error = 0.3, .scale = 2}, 0.6}}) {
    const RowMatrix<double> left = decode(model, encode(model, x, options)) - x;
    const double largest = left.rowwise().norm().maxCoeff() / std::sqrt(double{kDimension});
    EXPECT_LE(largest, bound * (1 + 1e-9));
    EXPECT_GT(largest, 0.9 * bound);  // and no better than it has to be
  }
}

// The conditions for an optimum: products of the atoms with the residual are λ·sign where there is a coefficient, and
// at most λ elsewhere. They are met to the accuracy of the descent, by each of 45 atoms.
TEST(Encoder, LassoMeetsItsConditions) {
  const Model model = overcomplete_model();
  const RowMatrix<double> x = gaussian_rows(kSamples);
  const RowMatrix<double> centred = x.rowwise() - model.mean.transpose();
  const auto check = [&](const EncodeOptions& options, double penalty, double tolerance) {
    const RowMatrix<double> z = encode(model, x, options);
    const RowMatrix<double> products = (centred - z * model.dictionary) * model.dictionary.transpose();
    for (Index j = 0; j < z.rows(); ++j) {
      for (Index i = 0; i < z.cols(); ++i) {
        const double violation = z(j, i) == 0 ? std::max(0.0, std::abs(products(j, i)) - penalty)
                                              : std::abs(products(j, i) - std::copysign(penalty, z(j, i)));
        ASSERT_LE(violation, tolerance * penalty);
      }
    }
    EXPECT_GT((z.array() == 0).count(), z.size() / 2);
  };
  check({.penalty = 0.2}, 0.2 * rms_of(centred), 1.1e-8);
  check({.penalty = 0.2, .scale = 1.5}, 0.3, 1.1e-8);
  check({.penalty = 0.2, .precision = Precision::kF32}, 0.2 * rms_of(centred), 1.1e-4);
}

// Pairs of atoms at 1e-3 are dependent to single precision, which then leaves samples to double precision.
TEST(Encoder, LassoInSinglePrecisionIsAccurateWithAtomsCloseToEachOther) {
  Model model = overcomplete_model();
  model.dictionary.bottomRows(20) = model.dictionary.topRows(20) + 1e-3 * random_gaussian(20, kDimension, 9) / 4;
  model.dictionary.rowwise().normalize();
  const RowMatrix<double> x = gaussian_rows(200).rowwise() + model.mean.transpose();
  for (const double penalty : {0.3, 0.03}) {
    const EncodeOptions options{.penalty = penalty, .scale = 1, .precision = Precision::kF32};
    const RowMatrix<double> z = encode(model, x, options);
    const RowMatrix<double> left = x.rowwise() - model.mean.transpose() - z * model.dictionary;
    const RowMatrix<double> products = left * model.dictionary.transpose();
    for (Index j = 0; j < z.rows(); ++j) {
      for (Index i = 0; i < z.cols(); ++i) {
        const double violation = z(j, i) == 0 ? std::max(0.0, std::abs(products(j, i)) - penalty)
                                              : std::abs(products(j, i) - std::copysign(penalty, z(j, i)));
        // 1e-4 of the penalty or 1e-6 of the sample, and what single precision rounds in judging that.
        ASSERT_LE(violation, 1e-4 * penalty + 2e-6 * x.row(j).norm());
      }
    }
  }
}

// Squares of such samples overflow, or are zero. A power of two is exact, so bits are the same.
TEST(Encoder, CodesSamplesOfAnySize) {
  Model model = overcomplete_model();
  model.mean.setZero();
  const RowMatrix<double> x = gaussian_rows(300);
  for (const EncodeOptions& options :
       {EncodeOptions{.nonzeros = 5}, EncodeOptions{.error = 0.3}, EncodeOptions{.coder = Coder::kOmp},
        EncodeOptions{.penalty = 0.2}, EncodeOptions{.nonzeros = 5, .precision = Precision::kF32},
        EncodeOptions{.penalty = 0.2, .precision = Precision::kF32}}) {
    const RowMatrix<double> codes = encode(model, x, options);
    EXPECT_GT((codes.array() != 0).count(), 0);
    for (const double factor : {std::ldexp(1.0, 532), std::ldexp(1.0, -532)}) {
      const RowMatrix<double> scaled = factor * x;
      EXPECT_EQ(encode(model, scaled, options), factor * codes);
    }
    RowMatrix<double> mixed = x;  // each sample has its own size
    mixed.row(7) *= std::ldexp(1.0, -532);
    if (!options.error && !options.penalty) {
      EXPECT_EQ(encode(model, mixed, options).row(8), codes.row(8));
      EXPECT_EQ(encode(model, mixed, options).row(7), std::ldexp(1.0, -532) * codes.row(7));
    }
  }
}

TEST(Encoder, ServesSeveralThreadsAtOnce) {
  const Model model = overcomplete_model();
  const RowMatrix<double> x = gaussian_rows(kSamples);
  const auto samples = samples_in_rows(x);
  const Encoder encoder(model, *samples, {.nonzeros = 4, .threads = 2});
  const RowMatrix<double> expected = encoder.encode(*samples, 0, kSamples);
  std::vector<RowMatrix<double>> found(4);
  {
    std::vector<std::jthread> threads;
    for (RowMatrix<double>& codes : found) {
      threads.emplace_back([&] { codes = encoder.encode(*samples, 0, kSamples); });
    }
  }
  for (const RowMatrix<double>& codes : found) EXPECT_EQ(codes, expected);
}

TEST(Encoder, WritesCodesAndSamplesWhereTheyAreWanted) {
  Model model = overcomplete_model();
  const RowMatrix<double> x = gaussian_rows(kSamples);
  const auto samples = samples_in_rows(x);
  for (const EncodeOptions& options : {EncodeOptions{.coder = Coder::kDense}, EncodeOptions{.nonzeros = 4}}) {
    const coding::RowEncoder encoder(model, *samples, options);
    RowMatrix<double> codes(400, kAtoms);
    encoder.encode_to(*samples, 100, 400, codes.data());
    EXPECT_EQ(codes, encode(model, x, options).middleRows(100, 400));
    RowMatrix<float> single(401, kAtoms);
    single.row(400).setConstant(7);
    encoder.encode_to(*samples, 100, 400, single.data());
    EXPECT_EQ(single.topRows(400), codes.cast<float>());
    EXPECT_TRUE((single.row(400).array() == 7).all());
    const auto view = samples_in_rows(codes);
    const coding::RowDecoder decoder(model);
    RowMatrix<double> decoded(300, kDimension);
    RowMatrix<float> decoded_single(300, kDimension);
    decoder.decode_to(*view, 50, 300, decoded.data());
    decoder.decode_to(*view, 50, 300, decoded_single.data());
    EXPECT_EQ(decoded, decode(model, codes).middleRows(50, 300));
    EXPECT_EQ(decoded_single, decoded.cast<float>());
    EXPECT_LT((decode(model, codes) - ((codes * model.dictionary).rowwise() + model.mean.transpose())).norm(), 1e-9);
  }
  EXPECT_TRUE(coding::RowEncoder(model, *samples, {.penalty = 0.1}).depends_on_samples());
  EXPECT_FALSE(coding::RowEncoder(model, *samples, {.penalty = 0.1, .scale = 1}).depends_on_samples());
  EXPECT_FALSE(coding::RowEncoder(model, *samples, {.nonzeros = 3}).depends_on_samples());
}

// Chooses by the products, and leaves a residual that is orthogonal to what was chosen.
TEST(Encoder, RefitIsLeastSquaresOnWhatIsKept) {
  const Model overcomplete = overcomplete_model();
  Model complete = overcomplete_model();
  complete.dictionary = complete.dictionary.topRows(kDimension).eval();
  complete.analysis = complete.dictionary.transpose().inverse();
  const RowMatrix<double> x = gaussian_rows(50);
  const RowMatrix<double> centred = x.rowwise() - complete.mean.transpose();
  const auto check = [&](const Model& model, const RowMatrix<double>& products, const RowMatrix<double>& codes) {
    const RowMatrix<double> left = (centred - codes * model.dictionary) * model.dictionary.transpose();
    for (Index j = 0; j < x.rows(); ++j) {
      std::vector<double> sizes(products.row(j).begin(), products.row(j).end());
      for (double& size : sizes) size = std::abs(size);
      std::nth_element(sizes.begin(), sizes.begin() + 3, sizes.end(), std::greater<>());
      for (Index i = 0; i < codes.cols(); ++i) {
        EXPECT_EQ(codes(j, i) != 0, std::abs(products(j, i)) >= sizes[3]);
        if (codes(j, i) != 0) {
          EXPECT_NEAR(left(j, i), 0, 1e-10);
        }
      }
    }
  };
  check(overcomplete, centred * overcomplete.dictionary.transpose(), encode(overcomplete, x, {.top = 4}));
  check(complete, centred * complete.analysis.transpose(), encode(complete, x, {.top = 4, .refit = true}));
}

TEST(Encoder, DenseWithoutAnalysisHasTheLeastNorm) {
  const Model model = overcomplete_model();
  const RowMatrix<double> x = gaussian_rows(30);
  const RowMatrix<double> codes = encode(model, x, {.coder = Coder::kDense});
  EXPECT_LT((decode(model, codes) - x).norm(), 1e-10);
  // Of least norm: in the row space of the dictionary, that is, a combination of its columns.
  const Eigen::MatrixXd columns = model.dictionary;
  const Eigen::MatrixXd z = codes.transpose();
  EXPECT_LT((columns * columns.colPivHouseholderQr().solve(z) - z).norm(), 1e-10);
}

// The coefficients are those of the model's own atoms, whatever their norm.
TEST(Encoder, AtomsNeedNotHaveUnitNorm) {
  Model model = overcomplete_model();
  const RowMatrix<double> x = gaussian_rows(40);
  const RowMatrix<double> codes = encode(model, x, {.nonzeros = 4});
  for (Index i = 0; i < kAtoms; ++i) model.dictionary.row(i) *= static_cast<double>(i % 3 + 1);
  RowMatrix<double> scaled = encode(model, x, {.nonzeros = 4});
  for (Index i = 0; i < kAtoms; ++i) scaled.col(i) *= static_cast<double>(i % 3 + 1);
  EXPECT_LT((scaled - codes).norm(), 1e-10);
}

TEST(Encoder, TakesTheModelsCoderUnlessTold) {
  Model model = overcomplete_model();
  model.coder = "omp:2";
  const RowMatrix<double> x = gaussian_rows(10);
  EXPECT_EQ(encode(model, x), encode(model, x, {.nonzeros = 2}));
  EXPECT_EQ((encode(model, x).array() != 0).count(), 20);
  EXPECT_EQ((encode(model, x, {.nonzeros = 3}).array() != 0).count(), 30);
  model.coder = "lasso:0.5";
  EXPECT_EQ(encode(model, x), encode(model, x, {.penalty = 0.5}));
}

TEST(Encoder, ModelsWithoutAnalysisAreSavedAndLoaded) {
  Model model = overcomplete_model();
  model.coder = "omp:3";
  model.metadata = "{}";
  const Model back = model_from_bytes(model_to_bytes(model));
  EXPECT_EQ(back.dictionary, model.dictionary);
  EXPECT_EQ(back.analysis.size(), 0);
  EXPECT_EQ(back.coder, "omp:3");
  EXPECT_EQ(model_to_bytes(back), model_to_bytes(model));
  for (const char* wrong : {"omp:46", "best"}) {
    model.coder = wrong;
    EXPECT_EQ(error_of([&] { (void)model_to_bytes(model); }).first, Fault::kData);
  }
  Model complete = overcomplete_model();
  complete.dictionary = complete.dictionary.topRows(kDimension).eval();
  EXPECT_EQ(error_of([&] { (void)model_to_bytes(complete); }).first, Fault::kData);
}

TEST(Encoder, ComparesModelsWithoutAnalysis) {
  const Model model = overcomplete_model();
  const Recovery same = compare(model, model.dictionary);
  EXPECT_LT(same.error, 1e-14);
  EXPECT_GT(same.worst_cosine, 1 - 1e-14);
  RowMatrix<double> truth = model.dictionary;
  truth.row(3) = (truth.row(3) + 0.1 * RowMatrix<double>::Ones(1, kDimension)).normalized();
  const Recovery other = compare(model, truth);
  EXPECT_LT(other.worst_cosine, 0.99);
  EXPECT_NEAR(other.error, (1 - std::pow(other.worst_cosine, 4)) / kAtoms, 1e-14);
}

TEST(Encoder, ParsesTheNamesOfCoders) {
  const auto parse = [](const char* text) { return parse_coder("--coder", text); };
  EXPECT_EQ(parse("auto").coder, Coder::kAuto);
  EXPECT_EQ(parse("dense").coder, Coder::kDense);
  EXPECT_EQ(parse("top:3").top, 3);
  EXPECT_EQ(parse("threshold:0.5").threshold, 0.5);
  EXPECT_EQ(parse("omp").coder, Coder::kOmp);
  EXPECT_EQ(parse("omp:7").nonzeros, 7);
  EXPECT_EQ(parse("lasso:1e-3").penalty, 1e-3);
  for (const char* wrong :
       {"", "best", "top", "top:", "top:x", "top:1.5", "omp:", "omp:3x", "lasso", "lasso:", "dense:1", "auto:1"}) {
    const auto [fault, message] = error_of([&] { (void)parse(wrong); });
    EXPECT_EQ(fault, Fault::kOption) << wrong;
    EXPECT_EQ(message.rfind("--coder = ", 0), 0U) << message;
  }
}

TEST(Encoder, RefusesOptionsOfAnotherCoder) {
  const Model model = overcomplete_model();
  const RowMatrix<double> x = gaussian_rows(3);
  for (const EncodeOptions& options :
       {EncodeOptions{.coder = Coder::kOmp, .top = 3}, EncodeOptions{.coder = Coder::kLasso},
        EncodeOptions{.coder = Coder::kDense, .nonzeros = 3}, EncodeOptions{.top = 3, .penalty = 1},
        EncodeOptions{.nonzeros = 0}, EncodeOptions{.nonzeros = kAtoms + 1}, EncodeOptions{.error = -1},
        EncodeOptions{.penalty = 0}, EncodeOptions{.penalty = 1, .scale = 0}, EncodeOptions{.penalty = NAN},
        EncodeOptions{.nonzeros = 3, .precision = Precision::kMixed}}) {
    EXPECT_EQ(error_of([&] { (void)encode(model, x, options); }).first, Fault::kOption);
  }
  RowMatrix<double> damaged = x;
  damaged(1, 4) = NAN;
  for (const EncodeOptions& options :
       {EncodeOptions{.nonzeros = 2}, EncodeOptions{.penalty = 1}, EncodeOptions{.top = 2}}) {
    const auto [fault, message] = error_of([&] { (void)encode(model, damaged, options); });
    EXPECT_EQ(fault, Fault::kData);
    EXPECT_NE(message.find("row 1"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace orthodict
