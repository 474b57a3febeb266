// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/consensus.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <utility>

#include "linalg/blas.h"
#include "linalg/lapack.h"
#include "linalg/polar.h"
#include "solver/canonical.h"
#include "solver/consensus/clusters.h"
#include "solver/consensus/recurrence.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

constexpr int kFirstStart = 1000;        // numbers of starts, of the runs on all samples …
constexpr int kFirstResampled = 100000;  // … and on choices of them
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

bool must_end(Run& run) {
  const bool stopped = run.workers().collective().any([&] { return run.options().stop.stop_requested(); });
  return stopped || run.out_of_time();
}

// Each run gets the same number of threads. Ranks take part in all runs, one after the other. A run that had to end
// isn't kept.
void learn_again(Run& run, const Repeatable& method, int starts, int runs, OtherRuns* others) {
  engine::Workers& workers = run.workers();
  const int side_by_side = workers.collective().is_alone() ? std::clamp(runs, 1, workers.count()) : 1;
  const Options options = options_beside(run.options(), std::max(workers.count() / side_by_side, 1));
  std::mutex keeping;
  const auto learn = [&](Index number) {
    const int i = static_cast<int>(number);
    if (others->has(i)) return;
    Run beside(run.learned_from(), options, run.summary().method, run.start());
    if (must_end(beside)) return;
    Matrix<double> rows = method.learn(i < starts ? AnotherRun{beside, kFirstStart + i}
                                                  : AnotherRun{beside, kFirstResampled + i - starts, i - starts});
    if (must_end(beside)) return;
    const std::lock_guard lock(keeping);
    others->set(i, {std::move(rows), beside.summary().passes});
    method.reach();
  };
  if (side_by_side > 1) {
    workers.for_each(side_by_side, runs, learn);
  } else {
    linalg::for_each_in_turn(runs, learn);
  }
}

Matrix<double> with_unit_rows(Matrix<double> rows) {
  for (auto row : rows.rowwise()) {
    const double norm = row.norm();
    if (norm > 0) row /= norm;
  }
  return rows;
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
Matrix<double> rows_of(const Clusters& clusters, const std::vector<Matrix<double>>& runs, bool is_orthogonal,
                       const linalg::ForEach& for_each) {
  const auto quality = (clusters.found.array() * clusters.stability.array()).eval();
  const Index kept = (quality >= kKept).count();
  Matrix<double> rows = clusters.centres;
  // More rows than columns are those of a square dictionary, in the range of samples that don't span all features: its
  // columns are orthonormal, and its rows have lengths of their own.
  if (rows.rows() > rows.cols()) return linalg::polar(with_lengths_of_versions(clusters, runs), for_each);
  if (kept > 0 && (is_orthogonal || !is_well_conditioned(rows.topRows(kept)))) {
    rows.topRows(kept) = linalg::polar<double>(rows.topRows(kept), for_each);
  }
  complete(kept, for_each, &rows);
  return rows;
}

// The first run's atoms, and how well they come again in the others.
Consensus around_first(const Matrix<double>& first, std::vector<Matrix<double>> others) {
  const auto runs = static_cast<double>(others.size() + 1);
  for (Matrix<double>& rows : others) rows = with_unit_rows(std::move(rows));
  Recurrence again = recurrence(with_unit_rows(first), others);
  Consensus consensus{.rows = first};
  consensus.repetition.stability = std::move(again.stability);
  consensus.repetition.found = (1 + (runs - 1) * again.found.array()) / runs;
  return consensus;
}

// Of the first run and the others on all samples.
Consensus consensus_of(Run& run, const Repeatable& method, std::vector<Matrix<double>> runs) {
  if (method.keeps_first) return around_first(method.first, std::move(runs));
  const linalg::ForEach for_each = [&](Index count, const std::function<void(Index)>& task) {
    run.workers().for_each(run.workers().count(), count, task);
  };
  runs.insert(runs.begin(), method.first);
  std::vector<Matrix<double>> atoms;
  for (const Matrix<double>& rows : runs) atoms.push_back(with_unit_rows(rows));
  Clusters clusters = cluster_atoms(atoms, method.first.rows(), for_each);
  Consensus consensus{.rows = rows_of(clusters, runs, method.is_orthogonal, for_each)};
  consensus.repetition.stability = std::move(clusters.stability);
  consensus.repetition.found = std::move(clusters.found);
  return consensus;
}

// A block of samples is in 63 % of all bootstrap samples. An atom that hangs on it is told from the others by those
// that don't have it (as in Efron's jackknife after bootstrap). Of two halves one doesn't have it anyway.
std::vector<std::vector<Index>> groups_of_choices(const Resamples& resamples, const Options& options) {
  if (resampling_of(options) != Resampling::kBootstrap) return {};
  return resamples.choices_without_a_block(options.runs);
}

// Of atoms to the rows of B that a choice of the samples gave. Over that choice the codes of B are white, so that those
// of an atom cB have the |correlation| |c|/‖c‖ with them. Over all samples, codes of anything may be alike: where one
// sample that isn't in the choice is large.
Matrix<double> similarities_on_choice(const Matrix<double>& atoms, const Matrix<double>& b) {
  const Index d = b.cols();
  const auto inverse = b.rows() == d ? linalg::solve(b, Matrix<double>::Identity(d, d)) : std::nullopt;
  if (!inverse) return similarities(with_unit_rows(atoms), with_unit_rows(b));
  return with_unit_rows(multiply(atoms, *inverse)).cwiseAbs();
}

// In one dimension there is one direction: that it comes again says nothing.
void leave_unstable(Repetition* repetition) {
  repetition->stability.setZero();
  repetition->resampled_stability.setZero();
}

}  // namespace

Resampling resampling_of(const Options& options) { return options.resample.value_or(Resampling::kHalves); }

std::optional<Consensus> find_consensus(Run& run, const Repeatable& method, OtherRuns* others) {
  const Options& options = run.options();
  const int starts = options.runs - 1;
  const int resampled = resampling_of(options) == Resampling::kNone ? 0 : options.runs;
  others->begin(starts + resampled, method.first.rows(), method.first.cols(), options.max_iterations, run.checkpoint());
  learn_again(run, method, starts, starts + resampled, others);
  if (!others->is_complete()) {
    method.save();
    return std::nullopt;
  }
  run.summary().passes += others->passes();
  std::vector<Matrix<double>> on_all;
  for (int i = 0; i < starts; ++i) on_all.push_back((*others)[i].rows);
  Consensus consensus = consensus_of(run, method, std::move(on_all));
  consensus.runs = options.runs;
  consensus.resampled_runs = resampled;
  if (resampled > 0) {
    std::vector<Matrix<double>> on_choices;
    for (int i = starts; i < starts + resampled; ++i) {
      on_choices.push_back(similarities_on_choice(consensus.rows, (*others)[i].rows));
    }
    Recurrence again =
        recurrence_beyond_chance(on_choices, consensus.rows.cols(), groups_of_choices(method.resamples, options));
    consensus.repetition.resampled_stability = std::move(again.stability);
    consensus.repetition.resampled_found = std::move(again.found);
  }
  if (consensus.rows.cols() == 1) leave_unstable(&consensus.repetition);
  return consensus;
}

Termination reason_without_consensus(Run& run) {
  const bool stopped = run.workers().collective().any([&] { return run.options().stop.stop_requested(); });
  return stopped ? Termination::kStopped : Termination::kTimeLimit;
}

void describe_consensus(const Consensus& consensus, const Options& options, Summary* summary, Model* model) {
  summary->runs = consensus.runs;
  summary->resampled_runs = consensus.resampled_runs;
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
