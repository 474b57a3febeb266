// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/repeat.h"

#include <utility>
#include <vector>

#include "solver/auto/constants.h"
#include "solver/auto/explore.h"
#include "solver/consensus/halves.h"

namespace orthodict::solver {
namespace {

// The columns of the part that are samples of the half.
std::vector<Index> columns_of_half(const FirstRun& first, const Options& options, int half) {
  const Halves halves(first.evidence.samples(), first.evidence.dependence(), options.seed);
  const std::vector<bool> has = halves.blocks_of(half);
  const Order order = first.evidence.split().order();
  std::vector<Index> columns;
  for (Index i = 0; i < first.part.size(); ++i) {
    if (has[static_cast<std::size_t>(halves.block_of(order(i)))]) columns.push_back(i);
  }
  return columns;
}

View view_of(const FirstRun& first, const AnotherRun& another) {
  if (!another.half) return first.part.seen_by(another.run);
  return first.part.seen_by(another.run, columns_of_half(first, another.run.options(), *another.half));
}

}  // namespace

Matrix<double> learn_again(const FirstRun& first, const AnotherRun& another) {
  Journal journal(another.run.checkpoint());
  Evidence evidence(first.evidence, another.run, journal);
  Search search(another.run, evidence, first.decisions.center, first.decisions.is_basis);
  Steps steps(first.decisions, evidence, search);
  const View part = view_of(first, another);
  search.restart(square_start(another.run, first.decisions.coordinates, another.start));
  try {
    (void)explore(steps, part);
    (void)steps.refine(part, part, first.finish, kStepsOfRepeat, kCompetingStep);
    if (!another.half && part.size() < evidence.samples()) {
      const View all = evidence.all(first.decisions.precision);
      (void)steps.refine(all, part, first.finish, kStepsOfRepeat, first.decisions.tolerance);
    }
  } catch (const RunEnded&) {
    // The iterate counts as it is; a stop, and time that is up, end the whole consensus.
  }
  return search.b();
}

}  // namespace orthodict::solver
