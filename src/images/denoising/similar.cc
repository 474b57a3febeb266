// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/similar.h"

#include <algorithm>
#include <bit>

#include "images/denoising/group_kernels.h"

namespace orthodict::images {

SimilarPatches::SimilarPatches(const PatchShape& patch, const Search& search)
    : patch_(patch), search_(search), distances_(static_cast<std::size_t>(2 * search.window + 1)) {}

const std::vector<Place>& SimilarPatches::find(const Plane& plane, const Place& reference) {
  nearest_.assign(1, {.distance = -1, .place = reference});  // before all others, even its copies
  const Index top = std::max<Index>(0, reference.top - search_.window);
  const Index bottom = std::min(plane.rows() - patch_.height, reference.top + search_.window);
  const Index left = std::max<Index>(0, reference.left - search_.window);
  const Index right = std::min(plane.cols() - patch_.width, reference.left + search_.window);
  const float farthest = search_.reach * static_cast<float>(patch_.height * patch_.width);
  const float* pixels = &plane(reference.top, reference.left);
  for (Index y = top; search_.most > 1 && y <= bottom; ++y) {
    const Index count = right - left + 1;
    patch_distances(pixels, &plane(y, left), plane.cols(), patch_, count, distances_.data());
    for (Index i = 0; i < count; ++i) {
      const float distance = distances_[static_cast<std::size_t>(i)];
      if (distance >= farthest || (y == reference.top && left + i == reference.left)) continue;
      consider({distance, {static_cast<std::int32_t>(y), static_cast<std::int32_t>(left + i)}});
    }
  }
  found_.clear();
  const std::size_t count = std::bit_floor(nearest_.size());
  for (std::size_t i = 0; i < count; ++i) found_.push_back(nearest_[i].place);
  return found_;
}

void SimilarPatches::consider(const Candidate& candidate) {
  const bool is_full = nearest_.size() == static_cast<std::size_t>(search_.most);
  if (is_full && candidate.distance >= nearest_.back().distance) return;
  if (is_full) nearest_.pop_back();
  const auto nearer = [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; };
  nearest_.insert(std::upper_bound(nearest_.begin(), nearest_.end(), candidate, nearer), candidate);
}

}  // namespace orthodict::images
