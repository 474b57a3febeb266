// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "orthodict/types.h"

namespace orthodict::images {

// A grey image, or one channel of an image.
using Plane = RowMatrix<float>;

// Consecutive rows [begin, end) of all planes of an image.
struct Rows {
  Index begin = 0;
  std::vector<Plane> planes = {};

  [[nodiscard]] Index end() const { return begin + (planes.empty() ? 0 : planes.front().rows()); }

  void append(const std::vector<Plane>& more) {
    planes.resize(more.size());
    for (std::size_t c = 0; c < more.size(); ++c) {
      const Index before = planes[c].rows();
      planes[c].conservativeResize(before + more[c].rows(), more[c].cols());
      planes[c].bottomRows(more[c].rows()) = more[c];
    }
  }

  void drop_before(Index row) {
    const Index dropped = std::clamp<Index>(row - begin, 0, end() - begin);
    if (dropped == 0) return;
    for (Plane& plane : planes) plane = plane.bottomRows(plane.rows() - dropped).eval();
    begin += dropped;
  }
};

}  // namespace orthodict::images
