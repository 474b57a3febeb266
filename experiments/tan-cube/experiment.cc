// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <cmath>
#include <numbers>

#include "problem.h"

namespace orthodict::experiments {
namespace {

// Applies one step of Algorithm 1 to the rotation by `angle`. Returns the angle of the result.
double step(double angle) {
  Matrix<double> a(2, 2);
  a << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  const Matrix<double> projected = project_orthogonal(Matrix<double>(a.array().cube()));
  return std::atan2(projected(1, 0), projected(0, 0));
}

// The distance between two angles on the circle.
double distance(double a, double b) { return std::abs(std::remainder(a - b, 2 * std::numbers::pi)); }

std::vector<Row> map() {
  constexpr int kPoints = 720;  // includes every multiple of π/4
  std::vector<Row> rows;
  for (int i = 0; i <= kPoints; ++i) {
    const double angle = std::numbers::pi * (2.0 * i / kPoints - 1);
    const double measured = step(angle);
    // tan θ' = tan³θ, in the quadrant of θ.
    const double expected = std::atan2(std::pow(std::sin(angle), 3), std::pow(std::cos(angle), 3));
    rows.push_back({{"angle", angle},
                    {"measured", measured},
                    {"expected", expected},
                    {"deviation", distance(measured, expected)},
                    {"fixed", distance(measured, angle) < 1e-12}});
  }
  return rows;
}

}  // namespace

Experiment tan_cube() {
  return {.name = "tan-cube",
          .title = "one step on SO(2) is the map atan(tan^3 theta)",
          .source = "Figure 2",
          .cells = [](const Scale&) {
            return std::vector<Cell>{{"map", Row::object(), 1, [](const Context&) { return map(); }}};
          }};
}

}  // namespace orthodict::experiments
