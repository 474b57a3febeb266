// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/fit.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// What a fit of so many atoms gave.
struct ScannedNumber {
  Index atoms = 0;
  Index stable = 0;  // stable_atoms(), from other starts and on choices of the samples
  // Of those that are stable from other starts, whatever choices of the samples say:
  Index robust = 0;
  Index singles = 0;    // that a single sample carries: its code is more than twice as large as any other sample's
  Index conserved = 0;  // that the largest number of atoms has too: their codes' |correlation| is at least 0.7
  // The mean log-likelihood of samples that weren't used, for as many principal components and white noise in the rest.
  // Unset where four fifths of the samples are no more than the features, and where nothing but rounding is left.
  std::optional<double> held_out = {};
  double seconds = 0;
};

struct ORTHODICT_EXPORT ScanOptions {
  std::vector<Index> atoms = {};  // numbers of atoms to try, in rising order
  // Of each fit; `runs` is at least 2, and the dictionary isn't orthogonal. `atoms` is set here.
  Options fit = {};
  // So many numbers more, ≥ 0, between those where the number of stable atoms comes to its largest.
  int refinements = 4;
  std::function<void(const ScannedNumber&)> progress = {};  // called after each fit

  // Throws Error that names the first option that isn't legal, its value and what is legal.
  void validate() const;
};

struct Scan {
  std::vector<ScannedNumber> numbers = {};  // in rising order
  // The least number of atoms with (nearly) all of the stable ones. Nothing where no number has a stable one.
  std::optional<Index> recommended = {};
  std::string reason = {};  // a sentence for people
  // By the rule of OptICA (McConn, Lamoureux, Poudel, Palsson and Sastry, BMC Bioinformatics 2021): the least number
  // whose robust atoms that aren't singles are no more than those that are conserved. Nothing where no number has a
  // robust one.
  std::optional<Index> optica = {};
  std::string optica_reason = {};
};

// Fits each number of atoms, and then some in between. Throws Error as fit() does, and with Fault::kStopped when a stop
// was requested.
[[nodiscard]] ORTHODICT_EXPORT Scan scan(const Samples& samples, const ScanOptions& options);

}  // namespace orthodict
