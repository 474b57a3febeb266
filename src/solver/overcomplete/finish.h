// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"
#include "solver/overcomplete/means.h"

namespace orthodict::solver::overcomplete {

struct Finished {
  Matrix<double> atoms = {};     // columns of unit norm, in the samples' coordinates
  std::vector<bool> exact = {};  // atoms of samples that are coded exactly, and of as many as other atoms
  Vector<double> energy = {};    // Σx²
  Vector<double> usage = {};     // share of the samples that use an atom
  Vector<double> shift = {};     // that makes samples sparse: codes are those of y − shift
  double exact_samples = 0;      // share of samples that are coded exactly
  double noise = 0;              // rms of what codes leave, per dimension that they leave; 0 if nearly all are exact
  double left = 1;               // share of the samples' energy that codes leave
  double nonzeros = 0;           // of a code, the mean
  bool converged = false;
  bool whitens = true;  // codes are those of whitened samples

  [[nodiscard]] bool has_round() const;  // whether there was time for a round: otherwise nothing of this is known
  [[nodiscard]] bool is_sparse() const;  // enough samples are exactly sparse, in some exact atoms
  [[nodiscard]] Index exact_atoms() const;
};

// How long to go on, the share of energy that codes leave at first, |cos| above which an atom is another one's
// duplicate, whether samples are whitened for coding, and whether atoms may be dropped.
struct Pace {
  int rounds;
  double share;
  double duplicate;
  bool whitens;
  bool drops;
};
// Whitening makes atoms less alike, and in samples without structure it leaves no direction that comes out again.
inline constexpr Pace kToTheLastDigit = {
    .rounds = 40, .share = 1e-2, .duplicate = 0.99, .whitens = true, .drops = true};
// Noise makes several atoms of one.
inline constexpr Pace kInNoise = {.rounds = 6, .share = 1e-3, .duplicate = 0.8, .whitens = true, .drops = true};
// Where no sample is coded exactly, the error of codes is what is left to reduce: in the samples as they are, since
// whitening makes noise louder where they have little variance.
inline constexpr Pace kLeastError = {.rounds = 40, .share = 1e-3, .duplicate = 1, .whitens = false, .drops = false};

// Takes atoms to the last digit. Supports are greedy codes of the samples, or of whitened ones, scale·y; then
// regression on y itself in double precision, with least squares on fixed supports. Codes end at a falling share of
// unexplained energy, or where no atom is better than chance. A sample counts in full while its residual is like that
// of the better quarter of samples with one of its atoms. Centred samples are shifted so that codes leave nothing in
// the mean.
[[nodiscard]] Finished finish(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms,
                              const Pace& pace, const Means& means);

// Those atoms of `learned`, in that order. Where some are left out, the others are described anew: how they code y by
// themselves.
[[nodiscard]] Finished only(const Matrix<double>& y, const Vector<double>& scale, const Finished& learned,
                            const std::vector<Index>& kept, const Means& means);

}  // namespace orthodict::solver::overcomplete
