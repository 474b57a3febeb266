// SPDX-License-Identifier: Apache-2.0
#include "orthodict/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "engine/workers.h"
#include "orthodict/error.h"
#include "scan/held_out.h"
#include "scan/recommend.h"
#include "scan/robust_codes.h"
#include "solver/beyond_rank.h"

namespace orthodict {
namespace {

// The atoms that are stable from other starts.
std::vector<Index> robust_atoms(Model model) {
  model.resampled_stability.resize(0);
  model.resampled_found.resize(0);
  const std::vector<bool> stable = stable_atoms(model);
  std::vector<Index> robust;
  for (std::size_t i = 0; i < stable.size(); ++i) {
    if (stable[i]) robust.push_back(static_cast<Index>(i));
  }
  return robust;
}

// Without a consensus nothing is known of stability.
void require_consensus(const FitResult& result, Index atoms, const Options& options) {
  if (result.summary.runs > 1) return;
  if (result.summary.termination == Termination::kTimeLimit) {
    throw option_error("time_limit", fmt::format("{}", *options.time_limit),
                       fmt::format("enough for all runs of {} atoms", atoms));
  }
  throw option_error("max_iterations", fmt::format("{}", options.max_iterations.value_or(0)),
                     fmt::format("enough for the first run of {} atoms, which the others follow", atoms));
}

class Scanner {
 public:
  Scanner(const Samples& samples, const ScanOptions& options) : samples_(samples), options_(options) {
    engine::Workers workers(engine::threads_or_all(options.fit.threads));
    held_out_.emplace(samples, workers, options.fit.stop);
  }

  Scan run() {
    // The largest first: what others conserve is compared with its atoms.
    const std::optional<Index> rank = try_largest();
    const Index largest = numbers_.back().atoms;
    for (const Index atoms : options_.atoms) {
      if (atoms < largest) try_number(atoms);
    }
    refine();
    Scan scan{.numbers = numbers_};
    recommend(&scan);
    if (rank) scan.reason += fmt::format("; {} is the rank of the samples, and larger numbers weren't tried", *rank);
    return scan;
  }

 private:
  // Returns the rank of the samples if that is what was tried.
  std::optional<Index> try_largest() {
    try {
      try_number(options_.atoms.back());
      return std::nullopt;
    } catch (const solver::BeyondRank& beyond) {
      try_number(beyond.rank);
      return beyond.rank;
    }
  }

  void try_number(Index atoms) {
    Options options = options_.fit;
    options.atoms = Atoms(atoms);
    if (!options.whiten) options.dictionary = Dictionary::kComplete;
    const FitResult result = fit(samples_, options);
    if (result.summary.termination == Termination::kStopped) throw Error(Fault::kStopped, "the scan was interrupted");
    require_consensus(result, atoms, options);
    const Model robust = encoder_of(result.model, robust_atoms(result.model));
    if (numbers_.empty()) largest_ = robust;
    const RobustCodes codes = look_at_codes(robust, largest_, samples_, options.threads);
    const ScannedNumber number{.atoms = atoms,
                               .stable = result.summary.stable,
                               .robust = robust.atoms(),
                               .singles = codes.singles,
                               .conserved = codes.conserved,
                               .held_out = held_out_->log_likelihood(atoms),
                               .seconds = result.summary.total_seconds};
    const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), atoms,
                                        [](const ScannedNumber& one, Index other) { return one.atoms < other; });
    numbers_.insert(place, number);
    if (options_.progress) options_.progress(number);
  }

  // Looks between the least number that has nearly all of the stable atoms and the one before, first at the number of
  // stable atoms itself.
  void refine() {
    for (int i = 0; i < options_.refinements && most_stable(numbers_) > 0; ++i) {
      const auto best = least_with_nearly_all(numbers_);
      if (best == numbers_.begin()) return;
      const Index below = std::prev(best)->atoms;
      const Index middle = below + (best->atoms - below) / 2;
      const Index next = best->stable > below && best->stable < best->atoms ? best->stable : middle;
      if (next <= below || next >= best->atoms) return;
      try_number(next);
    }
  }

  const Samples& samples_;
  const ScanOptions& options_;
  std::optional<HeldOut> held_out_;
  std::vector<ScannedNumber> numbers_;
  Model largest_;  // the robust atoms of the largest number
};

}  // namespace

void ScanOptions::validate() const {
  fit.validate();
  if (fit.runs < 2) throw option_error("runs", std::to_string(fit.runs), "at least 2 for a scan");
  if (fit.atoms) throw option_error("atoms", fit.atoms->text(), "left out of the options of each fit");
  if (fit.stable_only) throw option_error("stable_only", *fit.stable_only ? "true" : "false", "left out for a scan");
  for (const auto& [name, path] : {std::pair("checkpoint", &fit.checkpoint), std::pair("resume", &fit.resume)}) {
    if (!path->empty()) throw option_error(name, *path, "left out for a scan");
  }
  if (fit.ranks) throw option_error("ranks", std::to_string(fit.ranks->count()), "unset for a scan");
  if (fit.dictionary == Dictionary::kOrthogonal) {
    throw option_error("dictionary", "orthogonal", "complete for a scan: a basis has atoms for all features");
  }
  if (fit.whiten == Whitening::kNone) {
    throw option_error("whiten", "none", "zca or pca for a scan: a basis has atoms for all features");
  }
  const bool rises = std::adjacent_find(atoms.begin(), atoms.end(), std::greater_equal<>()) == atoms.end();
  if (atoms.empty() || atoms.front() < 1 || !rises) {
    throw option_error("atoms", fmt::format("{}", fmt::join(atoms, ", ")), "numbers ≥ 1 in rising order");
  }
  if (refinements < 0) throw option_error("refinements", std::to_string(refinements), "an integer ≥ 0");
}

Scan scan(const Samples& samples, const ScanOptions& options) {
  options.validate();
  if (samples.is_complex()) throw data_error(samples.name(), "has complex numbers: a scan needs real ones");
  return Scanner(samples, options).run();
}

}  // namespace orthodict
