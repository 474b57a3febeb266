// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/consensus.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "linalg/polar.h"
#include "solver/canonical.h"
#include "solver/consensus/clusters.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

constexpr int kFirstStart = 1000;   // numbers of starts, of the runs on all samples …
constexpr int kFirstHalf = 100000;  // … and on halves
// Centres of a stability times found of at least this stay as they are. The others are made orthogonal to them and to
// each other: they are averages of what runs don't agree on, and may be nearly linear combinations of the rest.
constexpr double kKept = 0.3;
constexpr double kBestConditioned = 5;  // centres beyond this condition number are made orthogonal

// Learns with a number of threads, and no files or callbacks.
Options options_beside(const Options& options, int threads) {
  Options beside = options;
  beside.threads = threads;
  beside.checkpoint.clear();
  beside.resume.clear();
  beside.callback = {};
  beside.runs = 1;
  return beside;
}

struct Learned {
  std::vector<Matrix<double>> on_all;
  std::vector<Matrix<double>> on_halves;
};

// Each run gets the same number of threads. Ranks take part in all runs, one after the other.
Learned learn_again(Run& run, const Repeatable& method, int starts, int halves) {
  const int runs = starts + halves;
  engine::Workers& workers = run.workers();
  const int side_by_side = workers.collective().is_alone() ? std::clamp(runs, 1, workers.count()) : 1;
  const Options options = options_beside(run.options(), std::max(workers.count() / side_by_side, 1));
  std::vector<Matrix<double>> learned(static_cast<std::size_t>(runs));
  std::vector<int> passes(learned.size());
  const auto learn = [&](Index number) {
    const auto at = static_cast<std::size_t>(number);
    const int i = static_cast<int>(number);
    Run beside(run.learned_from(), options, run.summary().method, run.start());
    learned[at] = method.learn(i < starts ? AnotherRun{beside, kFirstStart + i}
                                          : AnotherRun{beside, kFirstHalf + i - starts, i - starts});
    passes[at] = beside.summary().passes;
  };
  if (side_by_side > 1) {
    workers.for_each(side_by_side, runs, learn);
  } else {
    linalg::for_each_in_turn(runs, learn);
  }
  run.summary().passes += std::accumulate(passes.begin(), passes.end(), 0);
  const auto middle = learned.begin() + starts;
  return {{std::make_move_iterator(learned.begin()), std::make_move_iterator(middle)},
          {std::make_move_iterator(middle), std::make_move_iterator(learned.end())}};
}

void make_rows_unit(Matrix<double>* rows) {
  for (auto row : rows->rowwise()) {
    const double norm = row.norm();
    if (norm > 0) row /= norm;
  }
}

bool is_well_conditioned(const Matrix<double>& rows) {
  const Vector<double> squares = linalg::symmetric_eigen(multiply(rows, Op::kNone, rows, Op::kTranspose)).values;
  return squares[0] * kBestConditioned * kBestConditioned >= squares[squares.size() - 1];
}

// Replaces the rows from `kept` on by orthonormal ones that are orthogonal to the rows before.
void complete(Index kept, const linalg::ForEach& for_each, Matrix<double>* rows) {
  const Index d = rows->cols(), rest = rows->rows() - kept;
  if (rest == 0) return;
  Matrix<double> outside = Matrix<double>::Identity(d, d);
  if (kept > 0) {
    const Matrix<double> basis = linalg::polar<double>(rows->topRows(kept), for_each);
    outside = linalg::symmetric_eigen(outside - multiply(basis, Op::kTranspose, basis, Op::kNone))
                  .vectors.rightCols(d - kept)
                  .eval();
  }
  const Matrix<double> inside = linalg::polar<double>(multiply<double>(rows->bottomRows(rest), outside), for_each);
  rows->bottomRows(rest) = multiply(inside, Op::kNone, outside, Op::kTranspose);
}

// A from the centres of clusters, the best of which come first.
Matrix<double> rows_of(const Clusters& clusters, bool is_orthogonal, const linalg::ForEach& for_each) {
  const auto quality = (clusters.found.array() * clusters.stability.array()).eval();
  const Index kept = (quality >= kKept).count();
  Matrix<double> rows = clusters.centres;
  // More rows than columns are those of a square dictionary, in the range of samples that don't span all features.
  if (rows.rows() > rows.cols()) return linalg::polar(rows, for_each);
  if (kept > 0 && (is_orthogonal || !is_well_conditioned(rows.topRows(kept)))) {
    rows.topRows(kept) = linalg::polar<double>(rows.topRows(kept), for_each);
  }
  complete(kept, for_each, &rows);
  return rows;
}

}  // namespace

std::optional<Consensus> find_consensus(Run& run, const Repeatable& method) {
  const Options& options = run.options();
  const int halves = options.resample.value_or(true) ? options.runs : 0;
  Learned learned = learn_again(run, method, options.runs - 1, halves);
  const bool stopped = run.workers().collective().any([&] { return options.stop.stop_requested(); });
  if (stopped || run.out_of_time()) return std::nullopt;
  learned.on_all.insert(learned.on_all.begin(), method.first);
  for (Matrix<double>& rows : learned.on_all) make_rows_unit(&rows);
  for (Matrix<double>& rows : learned.on_halves) make_rows_unit(&rows);

  const linalg::ForEach for_each = [&](Index count, const std::function<void(Index)>& task) {
    run.workers().for_each(run.workers().count(), count, task);
  };
  Consensus consensus{.runs = options.runs, .half_runs = halves};
  if (method.keeps_first) {
    consensus.rows = method.first;
    const std::vector<Matrix<double>> others(learned.on_all.begin() + 1, learned.on_all.end());
    const auto runs = static_cast<double>(options.runs);
    Recurrence again = recurrence(learned.on_all.front(), others);
    consensus.repetition.stability = std::move(again.stability);
    consensus.repetition.found = (1 + (runs - 1) * again.found.array()) / runs;
  } else {
    Clusters clusters = cluster_atoms(learned.on_all, method.first.rows(), for_each);
    consensus.rows = rows_of(clusters, method.is_orthogonal, for_each);
    consensus.repetition.stability = std::move(clusters.stability);
    consensus.repetition.found = std::move(clusters.found);
  }
  if (halves > 0) {
    Matrix<double> atoms = consensus.rows;
    make_rows_unit(&atoms);
    Recurrence again = recurrence(atoms, learned.on_halves);
    consensus.repetition.half_stability = std::move(again.stability);
    consensus.repetition.half_found = std::move(again.found);
  }
  return consensus;
}

void describe_consensus(const Consensus& consensus, const Options& options, Summary* summary, Model* model) {
  summary->runs = consensus.runs;
  summary->half_runs = consensus.half_runs;
  const std::vector<bool> is_stable = stable_atoms(*model);
  std::vector<Index> stable;
  for (Index i = 0; i < model->atoms(); ++i) {
    if (is_stable[static_cast<std::size_t>(i)]) stable.push_back(i);
  }
  summary->stable = static_cast<Index>(stable.size());
  if (!options.stable_only.value_or(false)) return;
  if (stable.empty()) {
    summary->warnings.emplace_back("no atom is stable, so the model has all of them");
  } else {
    keep_atoms(stable, model);
  }
}

}  // namespace orthodict::solver
