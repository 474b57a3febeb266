// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/filter.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "linalg/blas.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

// A band of patch rows. Bands are filtered in parallel and added in order.
struct Band {
  Index first = 0;
  Index rows = 0;
  std::optional<PatchAverage> average = {};
  double kept = 0;
};

std::vector<Band> cut_into_bands(Index rows) {
  constexpr Index kRows = 16;
  std::vector<Band> bands;
  for (Index first = 0; first < rows; first += kRows) {
    bands.push_back({.first = first, .rows = std::min(kRows, rows - first)});
  }
  return bands;
}

// Filters patches [first, first + count) and adds them as patches [to, to + count) of `average`. Returns the number of
// coefficients kept.
double add_filtered(const Samples& patches, Index first, Index count, const RowMatrix<double>& atoms, double threshold,
                    Index to, PatchAverage* average) {
  const Index n = patches.dimension();
  Matrix<double> y(n, count);
  (void)patches.block(first, count, y.data());
  Matrix<double> codes(n, count);
  // A row-major matrix is passed to GEMM as its column-major transpose.
  linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, n, count, n, 1.0, atoms.data(), n, y.data(), n, 0.0,
               codes.data(), n);
  auto varying = codes.bottomRows(n - 1).array();
  varying = (varying.abs() >= threshold).select(varying, 0.0);
  const Vector<double> kept = (varying != 0).colwise().count().cast<double>().transpose();
  linalg::gemm(linalg::Op::kNone, linalg::Op::kNone, n, count, n, 1.0, atoms.data(), n, codes.data(), n, 0.0, y.data(),
               n);
  average->add(to, y, (1 + kept.array()).inverse().matrix());
  return kept.sum();
}

}  // namespace

Filtered filter(const Image& image, const PatchShape& patch, const RowMatrix<double>& atoms, double threshold,
                const std::stop_token& stop, engine::Workers* workers) {
  const PatchOptions cut{.patch = patch};
  const auto patches = image_patches({image}, cut, "image");
  PatchAverage average(image.height, image.width, cut);
  const Index columns = average.grid().columns();
  std::vector<Band> bands = cut_into_bands(average.grid().rows());
  workers->for_each(workers->count(), static_cast<Index>(bands.size()), [&](Index i) {
    Band& band = bands[static_cast<std::size_t>(i)];
    band.average.emplace(band.rows + patch.height - 1, image.width, cut);
    for (Index row = 0; row < band.rows; ++row) {
      if (stop.stop_requested()) throw Error(Fault::kStopped, "interrupted");
      band.kept += add_filtered(*patches, (band.first + row) * columns, columns, atoms, threshold, row * columns,
                                &*band.average);
    }
  });
  double kept = 0;
  for (const Band& band : bands) {
    average.add(*band.average, band.first);
    kept += band.kept;
  }
  return {average.image(image.depth), kept / static_cast<double>(patches->size())};
}

}  // namespace orthodict::images
