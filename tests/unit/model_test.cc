// SPDX-License-Identifier: Apache-2.0
#include "orthodict/model.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "formats/npz.h"
#include "orthodict/io.h"
#include "support.h"

namespace orthodict {
namespace {

std::string temporary(const std::string& name) { return testing::TempDir() + "orthodict_model_" + name; }

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Matrix<double> shifted_samples() {
  SyntheticOptions options;
  options.dimension = 6;
  options.samples = 700;
  options.condition = 5;
  Matrix<double> y = Synthetic(options).samples().transpose();
  y.colwise() += Vector<double>::LinSpaced(6, 0, 3);
  return y;
}

Model whitened_model(const Matrix<double>& y) {
  Options options = test::msp();
  options.whiten = Whitening::kZca;
  options.center = true;
  return fit(*samples_in_columns(y), options).model;
}

TEST(Model, IsTheSameAfterSaveAndLoad) {
  const Model model = whitened_model(shifted_samples());
  const std::string path = temporary("round_trip.npz");
  save_model(path, model);
  const Model loaded = load_model(path);
  EXPECT_EQ(loaded.dictionary, model.dictionary);
  EXPECT_EQ(loaded.analysis, model.analysis);
  EXPECT_EQ(loaded.mean, model.mean);
  EXPECT_EQ(loaded.metadata, model.metadata);
  const std::string first = contents(path);
  save_model(path, model);
  EXPECT_EQ(contents(path), first);
  EXPECT_EQ(model_to_bytes(model), first);
}

TEST(Model, IsTheSameFromBytes) {
  Model model = whitened_model(shifted_samples());
  model.confidence = Vector<double>::LinSpaced(6, 0, 1);
  const std::string bytes = model_to_bytes(model);
  const Model loaded = model_from_bytes(bytes);
  EXPECT_EQ(loaded.analysis, model.analysis);
  EXPECT_EQ(loaded.confidence, model.confidence);
  EXPECT_EQ(model_to_bytes(loaded), bytes);
  const auto [fault, message] = test::error_of([&] { (void)model_from_bytes(bytes.substr(0, 500), "row 7"); });
  EXPECT_EQ(fault, Fault::kData);
  EXPECT_TRUE(message.starts_with("row 7: ")) << message;
  EXPECT_EQ(test::error_of([] { (void)model_from_bytes(""); }).first, Fault::kData);
  model.mean.resize(3);
  EXPECT_EQ(test::error_of([&] { (void)model_to_bytes(model); }).first, Fault::kData);
}

TEST(Model, KnowsTheShapeOfItsSamples) {
  const std::vector<double> stack(20 * 2 * 3, 1.0);
  Array array{ElementType::kF64, {20, 2, 3}, false, false, reinterpret_cast<const std::byte*>(stack.data()), {}, "y"};
  Options options = test::msp();
  options.max_iterations = 0;
  const auto shape_of = [&] { return sample_shape(fit(*samples_in_rows(array), options).model); };
  EXPECT_EQ(shape_of(), (std::vector<Index>{2, 3}));
  array.shape = {10, 2, 2, 3};
  EXPECT_EQ(shape_of(), (std::vector<Index>{2, 2, 3}));
  array.shape = {20, 3, 2, 1};
  EXPECT_EQ(shape_of(), (std::vector<Index>{3, 2}));
  for (const std::vector<Index>& plain : {std::vector<Index>{20, 6}, {10, 2, 3, 2}, {5, 2, 2, 2, 3}}) {
    array.shape = plain;
    EXPECT_EQ(shape_of(), std::vector<Index>{}) << plain.size();
  }
}

TEST(Model, BelievesNoShapeThatDoesNotFit) {
  Model model = whitened_model(shifted_samples());  // of 6 entries
  const auto shape_in = [&](const std::string& metadata) {
    model.metadata = metadata;
    return sample_shape(model);
  };
  EXPECT_EQ(shape_in(R"({"sample_shape": [2, 3]})"), (std::vector<Index>{2, 3}));
  for (const char* bad : {"", "[]", "{}", R"({"sample_shape": 6})", R"({"sample_shape": [6]})",
                          R"({"sample_shape": [2, 2]})", R"({"sample_shape": [-2, -3]})", R"({"sample_shape": [0, 6]})",
                          R"({"sample_shape": ["2", 3]})", R"({"sample_shape": [4294967296, 4294967296]})"}) {
    EXPECT_EQ(shape_in(bad), std::vector<Index>{}) << bad;
  }
}

TEST(Model, LoadRefusesWhatIsNoModel) {
  Model model = whitened_model(shifted_samples());
  const std::string path = temporary("damaged.npz");
  const auto refuses = [&](const Model& damaged) {
    formats::NpzBuilder file;
    file.add("dictionary", damaged.dictionary);
    file.add("analysis", damaged.analysis);
    file.add("mean", damaged.mean);
    write_file(path, file.finish());
    return test::error_of([&] { (void)load_model(path); }).first == Fault::kData;
  };
  EXPECT_NO_THROW(save_model(path, model));
  Model damaged = model;
  damaged.analysis.conservativeResize(3, 6);
  EXPECT_TRUE(refuses(damaged));
  damaged = model;
  damaged.mean.conservativeResize(5);
  EXPECT_TRUE(refuses(damaged));
  damaged = model;
  damaged.dictionary(1, 1) = NAN;
  EXPECT_TRUE(refuses(damaged));
  EXPECT_TRUE(test::error_of([&] { (void)load_model(temporary("missing.npz")); }).first == Fault::kData);
}

TEST(Coding, DecodeInvertsEncode) {
  const Matrix<double> y = shifted_samples();
  const Model model = whitened_model(y);
  const RowMatrix<double> codes = encode(model, *samples_in_columns(y), 100, 300);
  const Matrix<double> expected = model.analysis * (y.middleCols(100, 300).colwise() - model.mean);
  EXPECT_LE((codes - expected.transpose()).norm(), 1e-11);
  const RowMatrix<double> back = decode(model, *samples_in_rows(codes), 0, 300);
  EXPECT_LE((back - y.middleCols(100, 300).transpose()).norm(), 1e-11 * y.norm());
}

// Blocks on any number of threads give what one call gives.
TEST(Coding, AllSamplesAtOnceAreThoseOfARange) {
  const RowMatrix<double> x = shifted_samples().transpose();
  const auto samples = samples_in_rows(x);
  const Model model = whitened_model(shifted_samples());
  EncodeOptions options{.top = 2};
  const RowMatrix<double> codes = encode(model, *samples, 0, samples->size(), options);
  for (const std::optional<int> threads : {std::optional<int>(), std::optional<int>(1), std::optional<int>(3)}) {
    options.threads = threads;
    EXPECT_EQ(encode(model, *samples, options), codes);
    EXPECT_EQ(encode(model, x, options), codes);
    const SparseCodes sparse = encode_sparse(model, x, options);
    EXPECT_EQ(sparse.nonZeros(), (codes.array() != 0).count());
    EXPECT_EQ(RowMatrix<double>(sparse), codes);
    const RowMatrix<double> decoded = decode(model, *samples_in_rows(codes), 0, codes.rows());
    EXPECT_EQ(decode(model, codes, threads), decoded);
    // Both sum at most six products per entry, in orders of their own.
    EXPECT_LE((decode(model, sparse, threads) - decoded).norm(), 1e-14 * decoded.norm());
  }
  const RowMatrix<double> none(0, 6);
  EXPECT_EQ(encode(model, none).rows(), 0);
  EXPECT_EQ(encode_sparse(model, none, {}).rows(), 0);
  EXPECT_EQ(decode(model, none).rows(), 0);
  EXPECT_EQ(decode(model, SparseCodes(0, 6)).rows(), 0);
}

TEST(Coding, KeepsTheLargestOrThoseAboveAThreshold) {
  Model model{RowMatrix<double>::Identity(4, 4), RowMatrix<double>::Identity(4, 4), Vector<double>::Zero(4), {}};
  Matrix<double> y(4, 2);
  y << 1, 2, -3, 2, 2, -2, 0.5, 2;
  EncodeOptions options;
  options.top = 2;
  Matrix<double> expected(4, 2);
  expected << 0, 2, -3, 2, 2, 0, 0, 0;  // ties go to the earlier atoms
  EXPECT_EQ(encode(model, *samples_in_columns(y), 0, 2, options), expected.transpose());
  options.top.reset();
  options.threshold = 2;
  expected << 0, 2, -3, 2, 2, -2, 0, 2;
  EXPECT_EQ(encode(model, *samples_in_columns(y), 0, 2, options), expected.transpose());
  options.top = 1;
  expected << 0, 2, -3, 0, 0, 0, 0, 0;
  EXPECT_EQ(encode(model, *samples_in_columns(y), 0, 2, options), expected.transpose());
}

TEST(Coding, RefusesWrongShapesOptionsAndValues) {
  const Model model = whitened_model(shifted_samples());
  const Matrix<double> narrow = Matrix<double>::Ones(5, 3);
  EXPECT_EQ(test::error_of([&] { (void)encode(model, *samples_in_columns(narrow), 0, 3); }).first, Fault::kData);
  EXPECT_EQ(test::error_of([&] { (void)decode(model, *samples_in_columns(narrow), 0, 3); }).first, Fault::kData);
  Matrix<double> y = Matrix<double>::Ones(6, 3);
  for (const auto& options :
       {EncodeOptions{.top = 0}, EncodeOptions{.top = 7}, EncodeOptions{.threshold = -1},
        EncodeOptions{.threshold = NAN}, EncodeOptions{.threads = 0}, EncodeOptions{.coder = static_cast<Coder>(9)}}) {
    const auto samples = samples_in_columns(y);
    EXPECT_EQ(test::error_of([&] { (void)encode(model, *samples, 0, 3, options); }).first, Fault::kOption);
    EXPECT_EQ(test::error_of([&] { (void)encode(model, *samples, options); }).first, Fault::kOption);
    EXPECT_EQ(test::error_of([&] { (void)encode_sparse(model, *samples, options); }).first, Fault::kOption);
  }
  EXPECT_EQ(test::error_of([&] { (void)decode(model, Matrix<double>::Ones(3, 6).eval(), 0); }).first, Fault::kOption);
  EXPECT_EQ(test::error_of([&] { (void)decode(model, SparseCodes(3, 6), 0); }).first, Fault::kOption);
  EXPECT_EQ(test::error_of([&] { (void)decode(model, SparseCodes(3, 5)); }),
            std::pair(Fault::kData, std::string("codes: 5 columns, but the model has 6 atoms")));
  SparseCodes infinite(3, 6);
  infinite.insert(2, 1) = INFINITY;
  EXPECT_EQ(test::error_of([&] { (void)decode(model, infinite); }),
            std::pair(Fault::kData, std::string("codes: row 2 (counting from 0) has values that aren't finite")));
  for (const auto& [first, count] : {std::pair<Index, Index>{-1, 1}, {0, 4}, {3, 1}, {0, -1}}) {
    EXPECT_EQ(test::error_of([&, first = first, count = count] {
                (void)encode(model, *samples_in_columns(y), first, count);
              }).first,
              Fault::kOption);
  }
  y(2, 1) = NAN;
  const auto [fault, message] = test::error_of([&] { (void)encode(model, *samples_in_columns(y), 0, 3); });
  EXPECT_EQ(fault, Fault::kData);
  EXPECT_NE(message.find("row 1"), std::string::npos) << message;
}

}  // namespace
}  // namespace orthodict
