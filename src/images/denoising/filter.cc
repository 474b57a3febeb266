// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/filter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "images/denoising/group_kernels.h"
#include "linalg/blas.h"

namespace orthodict::images {
namespace {

// Weights of a patch's pixels, which fall towards its border: a Kaiser window with β = 2.
Vector<float> kaiser_window(const PatchShape& patch) {
  constexpr double kBeta = 2;
  const auto side = [](Index length) {
    Vector<float> window(length);
    for (Index i = 0; i < length; ++i) {
      const double at = length == 1 ? 0 : 2 * static_cast<double>(i) / static_cast<double>(length - 1) - 1;
      window[i] =
          static_cast<float>(std::cyl_bessel_i(0, kBeta * std::sqrt(1 - at * at)) / std::cyl_bessel_i(0, kBeta));
    }
    return window;
  };
  const RowMatrix<float> weights = side(patch.height) * side(patch.width).transpose();
  return Eigen::Map<const Vector<float>>(weights.data(), weights.size());
}

// 0, step, 2·step … and the last position of a patch, as far as they lie in [first, last].
std::vector<Index> references(Index first, Index last, Index step, Index end) {
  std::vector<Index> places;
  for (Index at = (std::max<Index>(first, 0) + step - 1) / step * step; at <= std::min(last, end); at += step) {
    places.push_back(at);
  }
  if (last >= end && first <= end && (places.empty() || places.back() != end)) places.push_back(end);
  return places;
}

struct Sums {
  Plane values;
  Plane weights;
};

// Weighted sums of filtered patches. Threads add to different rows.
struct Accumulator {
  Index begin = 0;  // of the rows
  std::vector<Sums> planes = {};
};

// What all bands of reference rows share.
struct Work {
  const Pass& pass;
  const Transforms& transforms;
  const Rows& noisy;
  const Rows* before;
  Vector<float> window;
  Accumulator* sums;

  [[nodiscard]] const Rows& guide() const { return before != nullptr ? *before : noisy; }
  [[nodiscard]] Search search() const {
    Search search = pass.search;
    search.reach *= static_cast<float>(transforms.sigma.front() * transforms.sigma.front());
    return search;
  }
};

// Filters groups of patches, many at a time, so that the transforms are products of large matrices.
class Groups {
 public:
  explicit Groups(const Work& work)
      : work_(work),
        n_(work.transforms.size()),
        similar_(work.transforms.patch, work.search()),
        capacity_(kPatches + work.pass.search.most),
        patches_(n_, capacity_),
        codes_(n_, capacity_),
        pilot_(is_wiener() ? n_ : 0, capacity_),
        scratch_(static_cast<std::size_t>(n_ * work.pass.search.most)) {}

  // Adds the group of the patch at (top, left), with rows counted in the image.
  void add(Index top, Index left) {
    const Rows& guide = work_.guide();
    const auto& found = similar_.find(guide.planes.front(), {.top = static_cast<std::int32_t>(top - guide.begin),
                                                             .left = static_cast<std::int32_t>(left)});
    for (const Place& place : found) {
      places_.push_back({.top = place.top + static_cast<std::int32_t>(guide.begin), .left = place.left});
    }
    counts_.push_back(static_cast<Index>(found.size()));
    if (static_cast<Index>(places_.size()) >= kPatches) flush();
  }

  void flush() {
    for (std::size_t plane = 0; plane < work_.noisy.planes.size(); ++plane) filter_plane(plane);
    for (const Index count : counts_) kept_patches_ += static_cast<double>(count);
    places_.clear();
    counts_.clear();
  }

  [[nodiscard]] double kept() const { return kept_; }
  [[nodiscard]] double patches() const { return kept_patches_; }

 private:
  static constexpr Index kPatches = 512;
  static constexpr double kLeastVariance = 1e-12;  // 0/0 for a pilot of 0 otherwise

  [[nodiscard]] bool is_wiener() const { return work_.pass.shrinkage == Pass::Shrinkage::kWiener; }

  void filter_plane(std::size_t plane) {
    const auto patches = static_cast<Index>(places_.size());
    transform(work_.noisy, plane, &codes_);
    if (is_wiener()) transform(*work_.before, plane, &pilot_);
    weights_.clear();
    Index at = 0;
    for (const Index count : counts_) {
      weights_.push_back(shrink(plane, at, count));
      at += count;
    }
    linalg::gemm(linalg::Op::kNone, linalg::Op::kNone, n_, patches, n_, 1.0F, work_.transforms.atoms[plane].data(), n_,
                 codes_.data(), n_, 0.0F, patches_.data(), n_);
    at = 0;
    for (std::size_t group = 0; group < counts_.size(); ++group) {
      for (Index i = 0; i < counts_[group]; ++i, ++at) accumulate(plane, at, weights_[group]);
    }
  }

  // The coefficients of the patches at all places. A row-major matrix is passed to GEMM as its column-major transpose.
  void transform(const Rows& rows, std::size_t plane, Matrix<float>* codes) {
    const auto& [height, width] = work_.transforms.patch;
    const Plane& pixels = rows.planes[plane];
    float* to = patches_.data();
    for (const Place& place : places_) {
      const float* from = &pixels(place.top - rows.begin, place.left);
      for (Index y = 0; y < height; ++y, from += pixels.cols(), to += width) std::copy_n(from, width, to);
    }
    linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, n_, static_cast<Index>(places_.size()), n_, 1.0F,
                 work_.transforms.atoms[plane].data(), n_, patches_.data(), n_, 0.0F, codes->data(), n_);
  }

  // Shrinks the coefficients of a group of `count` patches from number `first` on. Returns the group's weight.
  float shrink(std::size_t plane, Index first, Index count) {
    const Pass& pass = work_.pass;
    const double sigma = work_.transforms.sigma[plane];
    float* codes = codes_.data() + first * n_;
    haar(codes, n_, count, scratch_.data());
    float weight = 1;
    if (is_wiener()) {
      float* pilot = pilot_.data() + first * n_;
      haar(pilot, n_, count, scratch_.data());
      weight = apply_wiener(codes, pilot, n_ * count,
                            static_cast<float>(std::max(kLeastVariance, pass.strength * sigma * sigma)));
    } else {
      weight = keep_large(codes, n_ * count, static_cast<float>(pass.strength * sigma));
      kept_ += static_cast<double>(weight) - 1;
    }
    inverse_haar(codes, n_, count, scratch_.data());
    return 1 / weight;
  }

  void accumulate(std::size_t plane, Index patch, float weight) {
    const auto& [height, width] = work_.transforms.patch;
    const Place& place = places_[static_cast<std::size_t>(patch)];
    Sums& sums = work_.sums->planes[plane];
    const Index top = place.top - work_.sums->begin;
    const float* from = patches_.data() + patch * n_;
    const float* window = work_.window.data();
    for (Index y = 0; y < height; ++y, from += width, window += width) {
      float* values = &sums.values(top + y, place.left);
      float* weights = &sums.weights(top + y, place.left);
      for (Index x = 0; x < width; ++x) {
        const float share = weight * window[x];
        values[x] += share * from[x];
        weights[x] += share;
      }
    }
  }

  const Work& work_;
  Index n_;
  SimilarPatches similar_;
  Index capacity_;
  Matrix<float> patches_;
  Matrix<float> codes_;
  Matrix<float> pilot_;
  std::vector<float> scratch_;
  std::vector<Place> places_;   // of all patches of all groups
  std::vector<Index> counts_;   // of patches in each group
  std::vector<float> weights_;  // of the groups
  double kept_ = 0;
  double kept_patches_ = 0;
};

}  // namespace

Filtered filter_rows(const Pass& pass, const Transforms& transforms, Index height, Index first, Index last,
                     const Rows& noisy, const Rows* before, engine::Workers* workers,
                     const std::function<void()>& tick) {
  const PatchShape& patch = transforms.patch;
  const Index columns = noisy.planes.front().cols();
  // The reference patches with a pixel of the result in their groups.
  const Index reach = pass.search.window + patch.height - 1;
  const std::vector<Index> tops =
      references(first - reach, last - 1 + pass.search.window, pass.step, height - patch.height);
  const std::vector<Index> lefts = references(0, columns - patch.width, pass.step, columns - patch.width);

  Accumulator sums{.begin = std::max<Index>(0, tops.front() - pass.search.window)};
  const Index end = std::min(height, tops.back() + reach + 1);
  for (std::size_t c = 0; c < noisy.planes.size(); ++c) {
    sums.planes.push_back({Plane::Zero(end - sums.begin, columns), Plane::Zero(end - sums.begin, columns)});
  }
  const Work work{.pass = pass,
                  .transforms = transforms,
                  .noisy = noisy,
                  .before = before,
                  .window = kaiser_window(patch),
                  .sums = &sums};

  // A band of reference rows adds to rows of less than twice its height, so that every other band can be filtered at
  // the same time. Bands are counted from the top of the image.
  const Index band_height = std::max<Index>(16, 2 * pass.search.window + patch.height);
  const Index first_band = tops.front() / band_height;
  const Index bands = tops.back() / band_height + 1 - first_band;
  std::vector<double> kept(static_cast<std::size_t>(bands));
  std::vector<double> patches(static_cast<std::size_t>(bands));
  for (const Index odd : {0, 1}) {
    const Index skipped = (first_band + odd) % 2;
    workers->for_each(workers->count(), (bands - skipped + 1) / 2, [&](Index task) {
      const Index band = skipped + 2 * task;
      const Index from = (first_band + band) * band_height;
      Groups groups(work);
      for (const Index top : tops) {
        if (top < from || top >= from + band_height) continue;
        tick();
        for (const Index left : lefts) groups.add(top, left);
      }
      groups.flush();
      kept[static_cast<std::size_t>(band)] = groups.kept();
      patches[static_cast<std::size_t>(band)] = groups.patches();
    });
  }

  Filtered filtered;
  for (const Sums& plane : sums.planes) {
    const Index skipped = first - sums.begin;
    filtered.planes.emplace_back(plane.values.middleRows(skipped, last - first).array() /
                                 plane.weights.middleRows(skipped, last - first).array());
  }
  for (std::size_t band = 0; band < kept.size(); ++band) {
    filtered.kept += kept[band];
    filtered.patches += patches[band];
  }
  return filtered;
}

}  // namespace orthodict::images
