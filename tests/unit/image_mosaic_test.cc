// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "files.h"
#include "orthodict/model.h"
#include "orthodict/mosaic.h"

namespace orthodict {
namespace {

Model model_of(const RowMatrix<double>& atoms, const std::string& metadata = "{}") {
  return {.dictionary = atoms, .analysis = atoms, .mean = Vector<double>::Zero(atoms.cols()), .metadata = metadata};
}

TEST(AtomMosaic, ShowsZeroAsGreyAndTheLargestEntryAtTheEnds) {
  const Model model = model_of(RowMatrix<double>{{0.5, 0, -0.25, 0.25}, {0, 1, 0, -1}, {0, 0, 0, 0}});
  MosaicOptions options{.shape = {2, 2}, .columns = 2, .scale = 1};
  const Image each = atom_mosaic(model, options);
  EXPECT_EQ(each.height, 7);
  EXPECT_EQ(each.width, 7);
  EXPECT_EQ(each.channels, 1);
  const float grey = 127.5F;
  const std::vector<float> expected = {
      0, 0,      0,       0, 0,    0,   0,  //
      0, 255,    grey,    0, grey, 255, 0,  //
      0, 63.75F, 191.25F, 0, grey, 0,   0,  //
      0, 0,      0,       0, 0,    0,   0,  //
      0, grey,   grey,    0, 0,    0,   0,  // an atom of zeros, and a place without one
      0, grey,   grey,    0, 0,    0,   0,  //
      0, 0,      0,       0, 0,    0,   0,
  };
  EXPECT_EQ(each.pixels, expected);
  options.contrast = Contrast::kCommon;
  const Image common = atom_mosaic(model, options);
  EXPECT_EQ(common.at(1, 1), 191.25F);
  EXPECT_EQ(common.at(1, 5), 255);
}

TEST(AtomMosaic, RepeatsEntriesByTheScale) {
  const Model model = model_of(RowMatrix<double>{{1, 0, -1, 0.5, 0, 0}, {0, 1, 1, 0, 0, 1}});
  MosaicOptions options{.shape = {2, 3}, .scale = 1};
  const Image small = atom_mosaic(model, options);
  options.scale = 5;
  const Image large = atom_mosaic(model, options);
  ASSERT_EQ(large.height, 5 * small.height);
  ASSERT_EQ(large.width, 5 * small.width);
  for (Index y = 0; y < large.height; ++y) {
    for (Index x = 0; x < large.width; ++x) EXPECT_EQ(large.at(y, x), small.at(y / 5, x / 5));
  }
  options.scale.reset();
  EXPECT_EQ(atom_mosaic(model, options).width, 22 * small.width);  // 22·3 ≥ 64
}

TEST(AtomMosaic, KnowsTheShapeOfTheModelAndColour) {
  const RowMatrix<double> atoms{{1, 0, -1, 0.5, 0, 0}};
  const Image image = atom_mosaic(model_of(atoms, R"({"sample_shape": [1, 2, 3]})"), {.scale = 1});
  EXPECT_EQ(image.channels, 3);
  EXPECT_EQ(image.height, 3);
  EXPECT_EQ(image.width, 4);
  EXPECT_EQ(image.at(1, 1, 0), 255);
  EXPECT_EQ(image.at(1, 1, 2), 0);
  EXPECT_EQ(image.at(1, 2, 0), 191.25F);
  const Image given = atom_mosaic(model_of(atoms, R"({"sample_shape": [1, 2, 3]})"), {.shape = {3, 2}, .scale = 1});
  EXPECT_EQ(given.channels, 1);
  EXPECT_EQ(given.height, 5);
}

TEST(AtomMosaic, RefusesWhatIsNoPicture) {
  const RowMatrix<double> atoms = RowMatrix<double>::Identity(6, 6);
  const auto refusal = [&](const MosaicOptions& options, const std::string& metadata = "{}") {
    return test::message_of([&] { static_cast<void>(atom_mosaic(model_of(atoms, metadata), options)); },
                            Fault::kOption);
  };
  EXPECT_MENTIONS(refusal({}), "shape = unset");
  EXPECT_MENTIONS(refusal({.shape = {2, 2}}), "shape = 2x2: must be HEIGHTxWIDTH or HEIGHTxWIDTHx3, of 6 entries");
  EXPECT_MENTIONS(refusal({.shape = {6}}), "shape = 6");
  EXPECT_MENTIONS(refusal({}, R"({"sample_shape": [3, 1, 2]})"), "shape = 3x1x2");
  EXPECT_MENTIONS(refusal({.shape = {-2, -3}}), "shape = -2x-3");
  EXPECT_MENTIONS(refusal({.shape = {2, 3}, .columns = 0}), "columns = 0");
  EXPECT_MENTIONS(refusal({.shape = {2, 3}, .scale = 0}), "scale = 0");
  EXPECT_MENTIONS(refusal({.shape = {2, 3}, .scale = 1001}), "scale = 1001");
}

}  // namespace
}  // namespace orthodict
