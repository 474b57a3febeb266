// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "images/denoising/rows.h"
#include "orthodict/patches.h"
#include "orthodict/types.h"

namespace orthodict::images {

// The upper left pixel of a patch.
struct Place {
  std::int32_t top = 0;
  std::int32_t left = 0;
};

struct Search {
  Index window = 0;  // greatest distance of patches, in rows and in columns
  Index most = 1;    // number of patches, a power of two
  float reach = 0;   // greatest mean squared difference of pixels
};

// Finds the patches of a plane that are most similar to one of them. Not thread-safe.
class SimilarPatches {
 public:
  SimilarPatches(const PatchShape& patch, const Search& search);

  // The patch at `reference` and those within reach, the most similar first. Their number is a power of two.
  [[nodiscard]] const std::vector<Place>& find(const Plane& plane, const Place& reference);

 private:
  struct Candidate {
    float distance = 0;
    Place place = {};
  };

  void consider(const Candidate& candidate);

  PatchShape patch_;
  Search search_;
  std::vector<float> distances_;
  std::vector<Candidate> nearest_;  // sorted
  std::vector<Place> found_;
};

}  // namespace orthodict::images
