// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orthodict/types.h"

namespace orthodict::coding {

// Sparse codes of consecutive samples, concatenated.
struct CodeBlock {
  std::vector<Index> begin = {0};  // start of each sample's code, and the end of the last
  std::vector<Index> atoms;
  std::vector<double> values;

  [[nodiscard]] Index size() const { return static_cast<Index>(begin.size()) - 1; }
  void clear();
  // Appends the code of the next sample.
  void append(const std::vector<Index>& code_atoms, const std::vector<double>& code_values);
  // x(atom, sample) = value for all nonzeros.
  void scatter(Matrix<double>* x) const;
};

}  // namespace orthodict::coding
