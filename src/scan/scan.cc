// SPDX-License-Identifier: Apache-2.0
#include "orthodict/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "engine/workers.h"
#include "linalg/blas.h"
#include "orthodict/error.h"
#include "scan/held_out.h"
#include "solver/confidence.h"

namespace orthodict {
namespace {

using linalg::multiply;
using linalg::Op;

constexpr double kNearlyAll = 0.95;  // of the largest number of stable atoms
constexpr double kConserved = 0.7;   // |correlation| of the codes of two atoms, as in OptICA
constexpr double kSingle = 2;        // how much larger the largest code is than the next, as in OptICA

Matrix<double> rows_of(const Matrix<double>& rows, const std::vector<Index>& chosen) {
  return rows(chosen, Eigen::all);
}

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

// Of a few directions that samples don't determine, versions come near each other by chance. The judge knows them.
Index count_stable(const Model& model) {
  const std::vector<bool> stable = stable_atoms(model);
  Index count = 0;
  for (Index i = 0; i < model.atoms(); ++i) {
    const bool is_established = model.confidence.size() == 0 || model.confidence[i] >= solver::kEstablished;
    if (stable[static_cast<std::size_t>(i)] && is_established) ++count;
  }
  return count;
}

// How many of these atoms a single sample carries.
Index count_singles(const Model& model, const std::vector<Index>& atoms, const Samples& samples) {
  constexpr Index kBlock = 4096;
  Vector<double> largest = Vector<double>::Zero(model.atoms()), second = largest;
  for (Index first = 0; first < samples.size(); first += kBlock) {
    const RowMatrix<double> codes = encode(model, samples, first, std::min(kBlock, samples.size() - first)).cwiseAbs();
    for (Index i = 0; i < codes.cols(); ++i) {
      for (const double size : codes.col(i)) {
        second[i] = std::max(second[i], std::min(size, largest[i]));
        largest[i] = std::max(largest[i], size);
      }
    }
  }
  return std::count_if(atoms.begin(), atoms.end(), [&](Index i) { return largest[i] > kSingle * second[i]; });
}

class Scanner {
 public:
  Scanner(const Samples& samples, const ScanOptions& options) : samples_(samples), options_(options) {
    engine::Workers workers(engine::threads_or_all(options.fit.threads));
    held_out_.emplace(samples, workers, options.fit.stop);
  }

  Scan run() {
    // The largest first: what others conserve is compared with its atoms.
    try_number(options_.atoms.back());
    for (const Index atoms : options_.atoms) {
      if (atoms != options_.atoms.back()) try_number(atoms);
    }
    refine();
    Scan scan{.numbers = numbers_};
    recommend(&scan);
    recommend_as_optica(&scan);
    return scan;
  }

 private:
  void try_number(Index atoms) {
    Options options = options_.fit;
    options.atoms = Atoms(atoms);
    if (!options.whiten) options.dictionary = Dictionary::kComplete;
    const FitResult result = fit(samples_, options);
    if (result.summary.termination == Termination::kStopped) throw Error(Fault::kStopped, "the scan was interrupted");
    const std::vector<Index> robust = robust_atoms(result.model);
    const Matrix<double> sources = unit_sources(rows_of(result.model.analysis, robust));
    if (numbers_.empty()) last_sources_ = sources;
    const ScannedNumber number{.atoms = atoms,
                               .stable = count_stable(result.model),
                               .robust = static_cast<Index>(robust.size()),
                               .singles = count_singles(result.model, robust, samples_),
                               .conserved = count_conserved(sources),
                               .held_out = held_out_->log_likelihood(atoms),
                               .seconds = result.summary.total_seconds};
    const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), atoms,
                                        [](const ScannedNumber& one, Index other) { return one.atoms < other; });
    numbers_.insert(place, number);
    if (options_.progress) options_.progress(number);
  }

  // Rows whose codes have unit variance.
  [[nodiscard]] Matrix<double> unit_sources(Matrix<double> rows) const {
    if (rows.rows() == 0) return rows;
    const Vector<double> variances =
        multiply(rows, held_out_->covariance()).cwiseProduct(rows).rowwise().sum().cwiseMax(1e-300);
    return variances.cwiseSqrt().cwiseInverse().asDiagonal() * rows;
  }

  [[nodiscard]] Index count_conserved(const Matrix<double>& sources) const {
    if (sources.rows() == 0 || last_sources_.rows() == 0) return 0;
    const Matrix<double> correlation =
        multiply(multiply(sources, held_out_->covariance()), Op::kNone, last_sources_, Op::kTranspose).cwiseAbs();
    return (correlation.rowwise().maxCoeff().array() >= kConserved).count();
  }

  [[nodiscard]] Index most_stable() const {
    return std::max_element(numbers_.begin(), numbers_.end(),
                            [](const auto& a, const auto& b) { return a.stable < b.stable; })
        ->stable;
  }
  [[nodiscard]] bool has_nearly_all(const ScannedNumber& number) const {
    return static_cast<double>(number.stable) >= kNearlyAll * static_cast<double>(most_stable());
  }

  // Looks between the least number that has nearly all of the stable atoms and the one before, first at the number of
  // stable atoms itself.
  void refine() {
    for (int i = 0; i < options_.refinements && most_stable() > 0; ++i) {
      const auto best =
          std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) { return has_nearly_all(n); });
      const Index below = best == numbers_.begin() ? 0 : std::prev(best)->atoms;
      const Index middle = below + (best->atoms - below) / 2;
      const Index next = best->stable > below && best->stable < best->atoms ? best->stable : middle;
      if (next <= below || next >= best->atoms) return;
      try_number(next);
    }
  }

  void recommend(Scan* scan) const {
    if (most_stable() == 0) {
      const auto best = std::max_element(numbers_.begin(), numbers_.end(), [](const auto& a, const auto& b) {
        return a.held_out.value_or(-HUGE_VAL) < b.held_out.value_or(-HUGE_VAL);
      });
      scan->recommended = best->atoms;
      scan->reason = best->held_out
                         ? "no number of atoms gives a stable one; samples that weren't used are likeliest by "
                           "this number of principal components"
                         : "no number of atoms gives a stable one";
      return;
    }
    const auto best = std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) { return has_nearly_all(n); });
    scan->recommended = best->atoms;
    scan->reason = fmt::format(
        "the least number of atoms with {} stable ones, of at most {}: fewer lose some of them, and more add hardly "
        "any",
        best->stable, most_stable());
  }

  static void recommend_as_optica(Scan* scan) {
    const auto best = std::find_if(scan->numbers.begin(), scan->numbers.end(), [](const ScannedNumber& number) {
      return number.robust > 0 && number.conserved >= number.robust - number.singles;
    });
    if (best == scan->numbers.end()) {
      scan->optica = scan->numbers.back().atoms;
      scan->optica_reason = "no number of atoms gives a robust one";
      return;
    }
    scan->optica = best->atoms;
    scan->optica_reason = fmt::format(
        "the least number of atoms that has no more robust ones beyond singles, {}, than the largest number conserves, "
        "{}",
        best->robust - best->singles, best->conserved);
  }

  const Samples& samples_;
  const ScanOptions& options_;
  std::optional<HeldOut> held_out_;
  std::vector<ScannedNumber> numbers_;
  Matrix<double> last_sources_;  // the robust atoms of the largest number
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
  if (fit.dictionary == Dictionary::kOrthogonal || fit.whiten == Whitening::kNone) {
    throw option_error("dictionary", "orthogonal", "complete for a scan: a basis has atoms for all features");
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
