// SPDX-License-Identifier: Apache-2.0
#include "pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "orthodict/error.h"

namespace orthodict::experiments {

Array read_pictures(const std::string& folder, const std::string& set, const std::string& file) {
  const std::filesystem::path path = std::filesystem::path(folder) / set / file;
  if (!std::filesystem::exists(path)) {
    throw data_error(path, fmt::format("not found: download it with scripts/get-data {}, or give the folder of the "
                                       "data sets by --data",
                                       set));
  }
  Array pictures = read_array(path);
  if (pictures.type != ElementType::kU8 || pictures.columns() != 784) {
    throw data_error(path, "not a file of " + set + " pictures (28x28 bytes each)");
  }
  return pictures;
}

std::unique_ptr<Samples> first_of(const Array& pictures, Index count) {
  return view_samples(reinterpret_cast<const std::uint8_t*>(pictures.data), pictures.columns(),
                      std::min(count, pictures.rows()), pictures.columns());
}

void write_first(const std::string& path, Array pictures, Index count) {
  pictures.shape.front() = std::min(count, pictures.rows());
  write_matrix(path, to_matrix(pictures));
}

namespace {

// The first `most` atoms, in the order in which a picture with this code uses them.
std::vector<Index> order_of(const Eigen::Ref<const Vector<double>>& code, Index most, Choice choice) {
  std::vector<Index> order(static_cast<std::size_t>(code.size()));
  std::iota(order.begin(), order.end(), 0);
  if (choice == Choice::kLargest) {
    std::partial_sort(order.begin(), order.begin() + most, order.end(), [&](Index a, Index b) {
      return std::pair(-std::abs(code[a]), a) < std::pair(-std::abs(code[b]), b);
    });
  }
  order.resize(static_cast<std::size_t>(most));
  return order;
}

}  // namespace

std::vector<double> mean_squared_errors(const Model& model, const Samples& pictures, std::span<const Index> counts,
                                        Choice choice) {
  constexpr Index kBlock = 1000;
  const Index most = std::min(counts.back(), model.atoms());
  const Index n = model.dimension();
  std::vector<double> sums(counts.size());
  Matrix<double> scratch(n, kBlock);
  for (Index first = 0; first < pictures.size(); first += kBlock) {
    const Index count = std::min(kBlock, pictures.size() - first);
    const Block<double> block = pictures.block(first, count, scratch.data());
    const Matrix<double> codes = encode(model, pictures, first, count).transpose();
    for (Index j = 0; j < count; ++j) {
      const std::vector<Index> order = order_of(codes.col(j), most, choice);
      Vector<double> rest = Eigen::Map<const Vector<double>>(block.data + j * block.stride, n) - model.mean;
      auto next = order.begin();
      for (std::size_t i = 0; i < counts.size(); ++i) {
        for (const auto end = order.begin() + std::min(counts[i], most); next != end; ++next) {
          rest -= codes(*next, j) * model.dictionary.row(*next).transpose();
        }
        sums[i] += rest.squaredNorm();
      }
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(pictures.size() * n);
  return sums;
}

RowMatrix<double> rebuild(const Model& model, const Samples& pictures, Index k, Choice choice) {
  const bool largest = choice == Choice::kLargest;
  RowMatrix<double> codes = encode(model, pictures, {.top = largest ? std::optional(k) : std::nullopt});
  if (!largest) codes.rightCols(codes.cols() - k).setZero();
  return decode(model, codes);
}

}  // namespace orthodict::experiments
