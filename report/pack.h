// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/report.h"

namespace orthodict::report {

[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

// Rows of a matrix as 16-bit integers q, little-endian: entry = scale·q/32767, with one scale per row.
[[nodiscard]] Json pack_rows(const RowMatrix<double>& rows);

// Maps values in [low, high] to bytes 0 … 255; values outside are clipped.
class ByteScale {
 public:
  ByteScale(double low, double high) : low_(low), high_(high) {}
  void append(const Vector<double>& values, std::vector<std::uint8_t>* bytes) const;

 private:
  double low_;
  double high_;
};

}  // namespace orthodict::report
