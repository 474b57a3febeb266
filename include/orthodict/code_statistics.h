// SPDX-License-Identifier: Apache-2.0
// What the codes of many samples say of each atom: how far they spread, to which side, and which of them stand out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "orthodict/coder.h"
#include "orthodict/export.h"
#include "orthodict/model.h"
#include "orthodict/names.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// One entry per atom.
struct CodeStatistics {
  Vector<double> mean;
  Vector<double> deviation;  // standard deviation of the codes; codes divided by it have unit variance
  Vector<double> skewness;   // third central moment divided by deviation³; positive if the long tail is
};

// Of the codes that encode() gives for these samples and options. Deviation and skewness are zero for an atom whose
// codes are all equal.
[[nodiscard]] ORTHODICT_EXPORT CodeStatistics code_statistics(const Model& model, const Samples& samples,
                                                              const EncodeOptions& options = {});

// How the codes of an atom that stand out are told from the others.
enum class ThresholdRule {
  // The largest codes are taken away until D'Agostino and Pearson's K² of the others is below a cutoff: what is left is
  // nearly normal. K² grows with the number of samples.
  kK2,
  // A mixture of two normal distributions about zero is fitted: codes count where the wider one is likelier. None does
  // where one distribution fits as well, or where the wider one is likelier everywhere.
  kMixture,
};
template <>
ORTHODICT_EXPORT std::span<const Named<ThresholdRule>> names_of();

struct ORTHODICT_EXPORT Thresholding {
  ThresholdRule rule = ThresholdRule::kK2;
  double k2_cutoff = 550;  // > 0

  // Throws Error, naming `option`, unless the values are legal.
  void validate(const std::string& option) const;
};

// "k2", "k2:CUTOFF" or "mixture". Throws Error naming `option` for other texts.
[[nodiscard]] ORTHODICT_EXPORT Thresholding parse_thresholding(const std::string& option, std::string_view text);

// For each atom the threshold t such that the codes with |z| ≥ t stand out among the products with the model's
// analysis; infinity if none does. Throws Error if the model has no analysis or there are fewer than 20 samples.
[[nodiscard]] ORTHODICT_EXPORT Vector<double> atom_thresholds(const Model& model, const Samples& samples,
                                                              const Thresholding& how = {},
                                                              std::optional<int> threads = {});

// Sets codes (rows) below their atom's threshold in size to zero.
ORTHODICT_EXPORT void keep_above(const Vector<double>& thresholds, RowMatrix<double>* codes);

// The same for samples in the rows of a matrix.
template <EigenObject T>
[[nodiscard]] CodeStatistics code_statistics(const Model& model, const T& x, const EncodeOptions& options = {}) {
  return code_statistics(model, *samples_in_rows(x), options);
}
template <EigenObject T>
[[nodiscard]] Vector<double> atom_thresholds(const Model& model, const T& x, const Thresholding& how = {},
                                             std::optional<int> threads = {}) {
  return atom_thresholds(model, *samples_in_rows(x), how, threads);
}

}  // namespace orthodict
