// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "files.h"
#include "orthodict/samples.h"
#include "support.h"

namespace orthodict {
namespace {

template <typename Scalar>
constexpr Scalar* kNoScratch = nullptr;  // for samples that must not be copied

// Values that every element type represents exactly; negative ones too for signed types.
double value_at(ElementType type, Index i, Index j) {
  const bool is_unsigned = to_string(type).front() == 'u';
  const auto value = static_cast<double>((7 * i + 3 * j) % 100);
  return is_unsigned || (i + j) % 3 != 0 ? value : -value;
}

Array make_array(ElementType type, Index rows, Index columns, bool column_major, bool swapped,
                 std::size_t misaligned = 0) {
  auto bytes = std::make_shared<std::string>(misaligned, '\0');
  for (Index k = 0; k < rows * columns; ++k) {
    const Index i = column_major ? k % rows : k / columns;
    const Index j = column_major ? k / rows : k % columns;
    *bytes += test::element_bytes(type, value_at(type, i, j), swapped);
  }
  Array array{type, {rows, columns}, column_major, swapped, nullptr, nullptr, "array"};
  array.data = reinterpret_cast<const std::byte*>(bytes->data()) + misaligned;
  array.owner = bytes;
  return array;
}

template <typename Scalar>
void expect_samples(const Samples& samples, ElementType type, bool columns) {
  std::vector<Scalar> scratch(static_cast<std::size_t>(samples.dimension() * samples.size()));
  for (const auto& [first, count] : {std::pair<Index, Index>{0, samples.size()}, {1, samples.size() - 2}, {5, 1}}) {
    const Block<Scalar> block = samples.block(first, count, scratch.data());
    ASSERT_GE(block.stride, samples.dimension());
    for (Index s = 0; s < count; ++s) {
      for (Index e = 0; e < samples.dimension(); ++e) {
        const double expected = columns ? value_at(type, e, first + s) : value_at(type, first + s, e);
        ASSERT_EQ(static_cast<double>(block.data[s * block.stride + e]), expected) << to_string(type) << s << ',' << e;
      }
    }
  }
}

TEST(DataArray, TypesHaveNamesAndSizes) {
  EXPECT_EQ(element_size(ElementType::kU8), 1U);
  EXPECT_EQ(element_size(ElementType::kF16), 2U);
  EXPECT_EQ(element_size(ElementType::kI32), 4U);
  EXPECT_EQ(element_size(ElementType::kF64), 8U);
  EXPECT_EQ(to_string(ElementType::kI16), "i16");
  EXPECT_EQ(to_string(ElementType::kF64), "f64");
}

TEST(DataArray, RowsAreTheFirstIndexAndColumnsTheRest) {
  Array array;
  array.shape = {60000, 28, 28};
  EXPECT_EQ(array.rows(), 60000);
  EXPECT_EQ(array.columns(), 784);
  array.shape = {5};
  EXPECT_EQ(array.rows(), 5);
  EXPECT_EQ(array.columns(), 1);
  array.shape = {0, 4};
  EXPECT_EQ(array.size(), 0);
}

TEST(DataArray, AScalarIsNoMatrix) {
  Array array;
  array.name = "s.npy";
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(array.rows()); }), "s.npy: a scalar");
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(samples_in_rows(array)); }), "need a matrix");
}

TEST(DataArray, ShapesBeyondIndexAreRefused) {
  Array array;
  array.shape = {Index{1} << 40, Index{1} << 40};
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(samples_in_rows(array)); }), "exceeds the address space");
  array.shape = {-1, 2};
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(to_matrix(array)); }), "-1×2");
  array.shape = {2, 2};
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(to_matrix(array)); }), "no data");
}

TEST(DataArray, AThirdIndexMeansTheSameInEitherOrder) {
  constexpr Index kShape[] = {2, 3, 4};
  std::vector<double> fortran(24);
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) {
      for (Index k = 0; k < 4; ++k)
        fortran[static_cast<std::size_t>(i + 2 * (j + 3 * k))] = static_cast<double>(12 * i + 4 * j + k);
    }
  }
  Array array;
  array.shape.assign(std::begin(kShape), std::end(kShape));
  array.column_major = true;
  array.data = reinterpret_cast<const std::byte*>(fortran.data());
  EXPECT_EQ(to_matrix(array), test::known_stack());
  std::vector<double> scratch(24);
  const auto columns = samples_in_columns(array);
  const Block<double> block = columns->block(0, 12, scratch.data());
  for (Index s = 0; s < 12; ++s) EXPECT_EQ(block.data[s * block.stride + 1], test::known_stack()(1, s));
}

TEST(DataSamples, EveryTypeOrderAndByteOrderGivesTheSameValues) {
  for (const ElementType type : test::kEveryType) {
    for (const bool column_major : {false, true}) {
      for (const bool swapped : {false, true}) {
        for (const std::size_t misaligned : {0, 1}) {
          const Array array = make_array(type, 37, 70, column_major, swapped, misaligned);
          expect_samples<float>(*samples_in_rows(array), type, false);
          expect_samples<double>(*samples_in_rows(array), type, false);
          expect_samples<float>(*samples_in_columns(array), type, true);
          expect_samples<double>(*samples_in_columns(array), type, true);
          EXPECT_EQ(to_matrix(array)(36, 69), value_at(type, 36, 69));
        }
      }
    }
  }
}

TEST(DataSamples, SpecialHalvesConvert) {
  const std::uint16_t halves[] = {0x7C00, 0xFC00, 0x0001, 0x8000};  // inf, −inf, the least denormal, −0
  Array array;
  array.type = ElementType::kF16;
  array.shape = {1, 4};
  array.data = reinterpret_cast<const std::byte*>(halves);
  const RowMatrix<double> matrix = to_matrix(array);
  EXPECT_EQ(matrix(0, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(matrix(0, 1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(matrix(0, 2), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::signbit(matrix(0, 3)));
}

TEST(DataSamples, NativeContiguousSamplesAreUsedWhereTheyLie) {
  const Array rows = make_array(ElementType::kF64, 6, 5, false, false);
  const auto* start = reinterpret_cast<const double*>(rows.data);
  const Block<double> block = samples_in_rows(rows)->block(2, 3, kNoScratch<double>);
  EXPECT_EQ(block.data, start + 10);
  EXPECT_EQ(block.stride, 5);

  const Array columns = make_array(ElementType::kF32, 6, 5, true, false);
  const Block<float> column = samples_in_columns(columns)->block(4, 1, kNoScratch<float>);
  EXPECT_EQ(column.data, reinterpret_cast<const float*>(columns.data) + 24);
  EXPECT_EQ(column.stride, 6);
}

TEST(DataSamples, WhatIsMisalignedIsCopied) {
  const Array array = make_array(ElementType::kF64, 6, 5, false, false, 4);
  std::vector<double> scratch(30);
  EXPECT_EQ(samples_in_rows(array)->block(0, 6, scratch.data()).data, scratch.data());
}

TEST(DataSamples, ALoneSampleHasAStrideThatBlasAccepts) {
  const Array array = make_array(ElementType::kF64, 1, 9, true, false);
  const Block<double> block = samples_in_rows(array)->block(0, 1, kNoScratch<double>);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(block.data), array.data);
  EXPECT_EQ(block.stride, 9);
}

TEST(DataSamples, TheArrayMayGoAway) {
  std::unique_ptr<Samples> samples;
  {
    const Array array = make_array(ElementType::kF64, 10, 3, false, false);
    samples = samples_in_rows(array);
  }
  expect_samples<double>(*samples, ElementType::kF64, false);
}

TEST(DataSamples, EigenMatricesAreViewedWithTheirStride) {
  const Matrix<double> y = Matrix<double>::Random(8, 20);
  const auto part = view_samples(&y(1, 2), 5, 10, y.rows());
  EXPECT_EQ(part->dimension(), 5);
  EXPECT_EQ(part->size(), 10);
  const Block<double> block = part->block(3, 2, kNoScratch<double>);
  EXPECT_EQ(block.data, &y(1, 5));
  EXPECT_EQ(block.stride, 8);
  std::vector<float> scratch(50);
  const Block<float> converted = part->block(0, 10, scratch.data());
  EXPECT_EQ(converted.data[9 * converted.stride + 4], static_cast<float>(y(5, 11)));

  const RowMatrix<float> x = RowMatrix<float>::Random(20, 8);
  const auto rows = samples_in_rows(x);
  EXPECT_EQ(rows->dimension(), 8);
  EXPECT_EQ(rows->block(7, 1, kNoScratch<float>).data, &x(7, 0));
}

TEST(DataSamples, MayHaveAnySpacing) {
  const RowMatrix<double> x = RowMatrix<double>::Random(6, 8);
  RowMatrix<double> flipped(6, 4);  // samples in reverse order, every second feature in reverse order
  for (Index j = 0; j < 6; ++j) {
    for (Index i = 0; i < 4; ++i) flipped(j, i) = x(5 - j, 7 - 2 * i);
  }
  const auto samples = view_samples(ElementType::kF64, &x(5, 7), 4, 6, -8, -2, "flipped");
  EXPECT_EQ(samples->name(), "flipped");
  Matrix<double> scratch(4, 6);
  const Block<double> block = samples->block(0, 6, scratch.data());
  EXPECT_EQ(Eigen::Map<const Matrix<double>>(block.data, 4, 6), flipped.transpose());
  // Contiguous samples that BLAS can't step through are copied too.
  for (const Index stride : {Index{-8}, Index{0}}) {
    const auto stepped = view_samples(ElementType::kF64, &x(5, 0), 8, 6, stride, 1);
    Matrix<double> room(8, 6);
    const Block<double> copied = stepped->block(0, 6, room.data());
    EXPECT_EQ(copied.data, room.data());
    EXPECT_EQ(room.col(1), x.row(stride == 0 ? 5 : 4).transpose());
  }
  EXPECT_EQ(test::error_of([&] { (void)view_samples(ElementType::kF64, x.data(), -1, 6, 8, 1); }).first,
            Fault::kOption);
}

}  // namespace
}  // namespace orthodict
