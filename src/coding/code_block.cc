// SPDX-License-Identifier: Apache-2.0
#include "coding/code_block.h"

namespace orthodict::coding {

void CodeBlock::clear() {
  begin.assign(1, 0);
  atoms.clear();
  values.clear();
}

void CodeBlock::append(const std::vector<Index>& code_atoms, const std::vector<double>& code_values) {
  atoms.insert(atoms.end(), code_atoms.begin(), code_atoms.end());
  values.insert(values.end(), code_values.begin(), code_values.end());
  begin.push_back(static_cast<Index>(atoms.size()));
}

void CodeBlock::scatter(Matrix<double>* x) const {
  for (Index i = 0; i < size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (auto e = static_cast<std::size_t>(begin[at]); e < static_cast<std::size_t>(begin[at + 1]); ++e) {
      (*x)(atoms[e], i) = values[e];
    }
  }
}

}  // namespace orthodict::coding
