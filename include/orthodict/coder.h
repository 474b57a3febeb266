// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "orthodict/export.h"
#include "orthodict/names.h"
#include "orthodict/types.h"

namespace orthodict {

enum class Precision;

// How a code z of a sample x is found. Below, y = x − mean, n entries, and D has the k atoms in rows, at unit norm.
enum class Coder { kAuto, kDense, kOmp, kLasso };
template <>
ORTHODICT_EXPORT std::span<const Named<Coder>> names_of();

// Options that belong to one coder imply it; together with another one they are an error.
struct ORTHODICT_EXPORT EncodeOptions {
  // Unless an option implies one: the coder that the model names, else kDense if the model has an analysis, else kOmp.
  Coder coder = Coder::kAuto;

  // kDense: z = analysis·y. A model without analysis has the z of least norm with Dᵀz = y.
  // Of these, keep the `top` largest in absolute value, 1 … k; ties go to the earlier atom.
  std::optional<Index> top = {};
  // Keep those with |z| ≥ threshold, a finite number ≥ 0. Together with `top`, both conditions apply.
  std::optional<double> threshold = {};
  // Compute the coefficients that are kept anew, by least squares: min ‖y − Dᵀz‖. Without analysis, `top` and
  // `threshold` choose among the products D·y instead, and coefficients are always computed anew.
  bool refit = false;

  // kOmp: orthogonal matching pursuit. It takes one atom after the other, the one with the largest |dᵀr| of the
  // residual r = y − Dᵀz, and computes all coefficients anew by least squares. It ends with `nonzeros` atoms, 1 … k,
  std::optional<Index> nonzeros = {};
  // or when the rms of r is at most `error` (≥ 0, in units of `scale`),
  std::optional<double> error = {};
  // or, with neither of them, when |cos| between r and the best atom is no larger than expected of the best of k random
  // directions. It never takes an atom when r is at the level of rounding.

  // kLasso: min ½‖y − Dᵀz‖² + penalty·scale·‖z‖₁ by active sets; > 0.
  std::optional<double> penalty = {};
  // The unit of `error` and `penalty`, > 0: the rms of all entries of y over all samples, unless set.
  std::optional<double> scale = {};

  // Arithmetic of kOmp and kLasso: f64, unless set to f32.
  std::optional<Precision> precision = {};
  std::optional<int> threads = {};  // ≥ 1, for all samples; as many as there are cores unless set

  // Throws Error naming the option that isn't legal for a model of `atoms` atoms.
  void validate(Index atoms) const;
};

// "auto", "dense", "top:K", "threshold:T", "omp", "omp:K", "lasso:L": the options of that name, as `--coder` and a
// model's `coder` have it. Throws Error naming `option` unless it is one of these.
[[nodiscard]] ORTHODICT_EXPORT EncodeOptions parse_coder(const std::string& option, std::string_view text);

}  // namespace orthodict
