// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "orthodict/stretch.h"

namespace orthodict {
namespace {

// Points on both sides of zero, dense enough to fall on both sides of every kink of a sensible threshold.
std::vector<double> grid() {
  std::vector<double> points;
  for (int i = 1; i <= 400; ++i) points.push_back(0.0101 * i);
  return points;
}

constexpr double kStep = 1e-5;
// A central difference of step h errs by h²|φ'''|/6 + ε|φ|/h: below 1e-7 of the values met on the grid.
constexpr double kDifferenceTolerance = 1e-6;

bool close(double a, double b, double scale, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(scale));
}

std::string check_symmetry(const Stretch& f) {
  if (f.value(0) != 0) return fmt::format("{}: φ(0) = {}, not 0", f.name(), f.value(0));
  for (const double z : grid()) {
    if (f.value(-z) != f.value(z)) return fmt::format("{}: φ(−z) ≠ φ(z) at z = {}", f.name(), z);
    if (f.derivative(-z) != -f.derivative(z)) return fmt::format("{}: φ'(−z) ≠ −φ'(z) at z = {}", f.name(), z);
  }
  return {};
}

// A kink between z − h and z + h shows as one-sided differences that disagree; the derivative is then held to lie
// between them.
std::string check_derivative(const std::string& what, double (Stretch::*primitive)(double) const,
                             double (Stretch::*claimed)(double) const, const Stretch& f) {
  for (const double z : grid()) {
    const double left = ((f.*primitive)(z) - (f.*primitive)(z - kStep)) / kStep;
    const double right = ((f.*primitive)(z + kStep) - (f.*primitive)(z)) / kStep;
    const double scale = std::abs((f.*claimed)(z + 1));
    const double tolerance = kDifferenceTolerance * std::max(1.0, scale);
    const double low = std::min(left, right);
    const double high = std::max(left, right);
    const double got = (f.*claimed)(z);
    // On a smooth stretch of φ both one-sided differences err by h·|curvature|/2 to either side.
    const double slack = tolerance + kStep * std::max(1.0, scale) * 10;
    if (got < low - slack || got > high + slack) {
      return fmt::format("{}: {} at z = {} is {}, differences give {} … {}", f.name(), what, z, got, low, high);
    }
  }
  return {};
}

std::string check_degree(const Stretch& f) {
  if (!f.degree()) return {};
  for (const double z : grid()) {
    for (const double s : {0.5, 3.0}) {
      const double expected = std::pow(s, *f.degree()) * f.value(z);
      if (!close(f.value(s * z), expected, expected, 1e-12)) {
        return fmt::format("{}: φ({}·{}) isn't of degree {}", f.name(), s, z, *f.degree());
      }
    }
  }
  return {};
}

std::string check_shape(const Stretch& f) {
  double previous = f.derivative(0);
  double largest_jump = 0;
  for (double z = 0; z <= 4; z += kStep) {
    const double current = f.derivative(z);
    if (f.is_convex() && current < previous) return fmt::format("{}: φ' falls at z = {}", f.name(), z);
    largest_jump = std::max(largest_jump, std::abs(current - previous) / (1 + std::abs(f.second_derivative(z))));
    previous = current;
  }
  if (f.is_smooth() && largest_jump > 10 * kStep) return fmt::format("{}: φ' jumps by {}", f.name(), largest_jump);
  return {};
}

template <typename Scalar>
std::string check_apply(const Stretch& f) {
  const std::vector<double> points = grid();
  std::vector<Scalar> z(points.begin(), points.end());
  std::vector<Scalar> sums(3 * z.size(), 0);
  const auto count = static_cast<Index>(z.size());
  f.apply(z.data(), count, 1, {sums.data(), sums.data() + count, sums.data() + 2 * count});
  for (std::size_t i = 0; i < z.size(); ++i) {
    const auto x = static_cast<double>(static_cast<Scalar>(points[i]));
    const double expected[] = {f.value(x), f.derivative(x), f.second_derivative(x)};
    for (std::size_t m = 0; m < 3; ++m) {
      // A threshold may fall on either side of a point that float rounds.
      const double tolerance = 64 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
      if (!close(sums[m * z.size() + i], expected[m], expected[m], tolerance)) {
        return fmt::format("{}: apply() gives derivative {} of φ at z = {} as {}, not {}", f.name(), m, x,
                           sums[m * z.size() + i], expected[m]);
      }
    }
    if (z[i] != sums[z.size() + i]) return fmt::format("{}: apply() leaves {} at z = {}", f.name(), z[i], x);
  }
  return {};
}

}  // namespace

std::string check_stretch(const Stretch& stretch) {
  std::string fault = check_symmetry(stretch);
  if (fault.empty()) fault = check_derivative("φ'", &Stretch::value, &Stretch::derivative, stretch);
  if (fault.empty()) {
    if (stretch.is_smooth())
      fault = check_derivative("φ''", &Stretch::derivative, &Stretch::second_derivative, stretch);
  }
  if (fault.empty()) fault = check_degree(stretch);
  if (fault.empty()) fault = check_shape(stretch);
  if (fault.empty()) fault = check_apply<double>(stretch);
  if (fault.empty()) fault = check_apply<float>(stretch);
  return fault;
}

}  // namespace orthodict
