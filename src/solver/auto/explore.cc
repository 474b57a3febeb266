// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/explore.h"

#include "linalg/blas.h"
#include "solver/auto/constants.h"
#include "solver/start.h"

namespace orthodict::solver {
namespace {

Motion settle(Steps& steps, const View& part, Bias bias, int most) {
  for (int i = 0; i < most; ++i) {
    steps.explore(part, bias);
    if (steps.longest_step() <= kSettledStep) return Motion::kStill;
    if (i >= kStepsToFindAWay && steps.search().step() > kWanderingStep) break;
  }
  return Motion::kMoving;
}

}  // namespace

Matrix<double> square_start(Run& run, const Coordinates& coordinates, int attempt) {
  const Options& options = run.options();
  const Index d = coordinates.dimension();
  const bool given = attempt == 0 && options.init == Initialization::kGiven;
  const Matrix<double> first = start_of(options, coordinates, attempt);
  if (!given || first.rows() >= d) return run.project(first.topRows(d), engine::Arithmetic::kF64);
  const Matrix<double> rows = run.project(first, engine::Arithmetic::kF64);
  Matrix<double> all = start_of(options, coordinates, 1).topRows(d);
  all -= linalg::multiply(linalg::multiply(all, linalg::Op::kNone, rows, linalg::Op::kTranspose), rows);
  all.topRows(rows.rows()) = rows;
  return run.project(all, engine::Arithmetic::kF64);
}

Motion settle(Steps& steps, const View& part) { return settle(steps, part, Bias::kPerAtom, kStepsWithBiasRemoved); }

Motion explore(Steps& steps, const View& part) {
  Motion motion = settle(steps, part);
  for (int round = 0; round < kUntangleRounds && motion == Motion::kStill; ++round) {
    if (steps.untangle(part) == 0) break;
    motion = settle(steps, part);
  }
  return motion;
}

void explore_by_plain_steps(Steps& steps, const View& part) {
  settle(steps, part, Bias::kKept, kPlainSteps);
  settle(steps, part, Bias::kPerAtom, kStepsWithBiasRemoved / 2);
  for (int round = 0; round < kUntangleRounds && steps.untangle(part) > 0; ++round) settle(steps, part);
}

}  // namespace orthodict::solver
