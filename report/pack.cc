// SPDX-License-Identifier: Apache-2.0
#include "report/pack.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace orthodict::report {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) {
      text += j <= count ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

Json pack_rows(const RowMatrix<double>& rows) {
  constexpr double kLargest = 32767;
  Json scales = Json::array();
  std::vector<std::uint8_t> bytes;
  bytes.reserve(2 * static_cast<std::size_t>(rows.size()));
  for (Index i = 0; i < rows.rows(); ++i) {
    const double scale = rows.row(i).cwiseAbs().maxCoeff();
    scales.push_back(scale);
    for (Index j = 0; j < rows.cols(); ++j) {
      const auto q = static_cast<std::uint16_t>(scale > 0 ? std::lround(kLargest * (rows(i, j) / scale)) : 0);
      bytes.push_back(static_cast<std::uint8_t>(q & 255U));
      bytes.push_back(static_cast<std::uint8_t>(q >> 8U));
    }
  }
  return {{"scales", scales}, {"values", base64(bytes)}};
}

void ByteScale::append(const Vector<double>& values, std::vector<std::uint8_t>* bytes) const {
  for (const double value : values) {
    const double share = (value - low_) / (high_ - low_);
    // An empty range makes the share NaN.
    bytes->push_back(share > 0 ? static_cast<std::uint8_t>(std::lround(255 * std::fmin(share, 1))) : 0);
  }
}

}  // namespace orthodict::report
