// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "orthodict/stretch.h"

namespace orthodict {
namespace {

// Test points for z > 0, which checks also use with a minus sign. They are dense enough to fall on both sides of every
// kink of a sensible threshold.
std::vector<double> grid() {
  std::vector<double> points;
  for (int i = 1; i <= 400; ++i) points.push_back(0.0101 * i);
  return points;
}

// One-sided differences with step h have an error of h·|curvature|/2 from truncation and ε·|φ|/h from rounding. With
// this h, on the grid, both are below kSlack relative to the next derivative one unit further out.
constexpr double kStep = 1e-5;
constexpr double kSlack = 1e-4;

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

// One-sided differences enclose the derivative, both on smooth pieces and across a kink.
std::string check_derivative(const std::string& what, double (Stretch::*primitive)(double) const,
                             double (Stretch::*claimed)(double) const, const Stretch& f) {
  for (const double z : grid()) {
    const double left = ((f.*primitive)(z) - (f.*primitive)(z - kStep)) / kStep;
    const double right = ((f.*primitive)(z + kStep) - (f.*primitive)(z)) / kStep;
    const double slack = kSlack * std::max(1.0, std::abs((f.*claimed)(z + 1)));
    const double got = (f.*claimed)(z);
    if (got < std::min(left, right) - slack || got > std::max(left, right) + slack) {
      return fmt::format("{}: {} at z = {:.6g} is {:.6g}, differences give {:.6g} and {:.6g}", f.name(), what, z, got,
                         left, right);
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
  for (int i = 0; i <= 400000; ++i) {
    const double z = i * kStep;
    const double current = f.derivative(z);
    // Allows for rounding: a polynomial approximation of φ' may decrease by a unit in the last place.
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(previous);
    if (f.is_convex() && current < previous - rounding) return fmt::format("{}: φ' falls at z = {}", f.name(), z);
    largest_jump = std::max(largest_jump, std::abs(current - previous) / (1 + std::abs(f.second_derivative(z))));
    previous = current;
  }
  if (f.is_smooth() && largest_jump > 10 * kStep) return fmt::format("{}: φ' jumps by {}", f.name(), largest_jump);
  return {};
}

// Applies the stretch to two columns, z and −2z, with sums that start from 1 instead of 0.
template <typename Scalar>
std::string check_apply(const Stretch& f) {
  const std::vector<double> points = grid();
  const std::size_t atoms = points.size();
  std::vector<Scalar> z(points.begin(), points.end());
  for (const double point : points) z.push_back(static_cast<Scalar>(-2 * point));
  const std::vector<Scalar> before = z;
  std::vector<Scalar> sums(3 * atoms, 1);
  const auto rows = static_cast<Index>(atoms);
  f.apply(z.data(), rows, 2, {sums.data(), sums.data() + rows, sums.data() + 2 * rows});

  const double tolerance = 64 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  for (std::size_t i = 0; i < atoms; ++i) {
    const double x[] = {before[i], before[atoms + i]};
    const double expected[] = {1 + f.value(x[0]) + f.value(x[1]), 1 + f.derivative(x[0]) + f.derivative(x[1]),
                               1 + f.second_derivative(x[0]) + f.second_derivative(x[1])};
    const double scale[] = {expected[0], std::abs(f.derivative(x[1])), expected[2]};
    for (std::size_t m = 0; m < 3; ++m) {
      const double got = sums[m * atoms + i];
      if (!close(got, expected[m], scale[m], tolerance)) {
        return fmt::format("{}: apply() sums derivative {} of φ at z = {} to {}, not {}", f.name(), m, x[0], got,
                           expected[m]);
      }
    }
    for (std::size_t column = 0; column < 2; ++column) {
      const double got = z[column * atoms + i];
      const double wanted = f.derivative(x[column]);
      if (!close(got, wanted, wanted, tolerance))
        return fmt::format("{}: apply() leaves {} at z = {}", f.name(), got, x[column]);
    }
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
