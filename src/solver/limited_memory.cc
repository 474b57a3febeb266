// SPDX-License-Identifier: Apache-2.0
#include "solver/limited_memory.h"

#include <cstddef>
#include <vector>

namespace orthodict::solver {

void LimitedMemory::add(const Vector<double>& step, const Vector<double>& growth) {
  constexpr double kLeastCosine = 1e-8;  // between step and growth; rounding alone may reach a tenth of it
  const double product = step.dot(growth);
  if (!(product > kLeastCosine * step.norm() * growth.norm())) return;
  if (pairs_.size() == most_) pairs_.pop_front();
  pairs_.push_back({step, growth, product});
}

Vector<double> LimitedMemory::times(Vector<double> g, const Vector<double>& diagonal) const {
  std::vector<double> shares(pairs_.size());
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    shares[i] = pairs_[i].step.dot(g) / pairs_[i].product;
    g -= shares[i] * pairs_[i].growth;
  }
  g = g.cwiseQuotient(diagonal);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    g += (shares[i] - pairs_[i].growth.dot(g) / pairs_[i].product) * pairs_[i].step;
  }
  return g;
}

void LimitedMemory::save(const std::string& name, formats::NpzBuilder* file) const {
  if (pairs_.empty()) return;
  const Index size = pairs_.front().step.size();
  RowMatrix<double> rows(2 * static_cast<Index>(pairs_.size()), size);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    rows.row(2 * static_cast<Index>(i)) = pairs_[i].step;
    rows.row(2 * static_cast<Index>(i) + 1) = pairs_[i].growth;
  }
  file->add(name, rows);
}

void LimitedMemory::load(const std::string& name, Index size, const formats::NpzFile& file,
                         const Checkpoint& checkpoint) {
  forget();
  if (!file.contains(name)) return;
  const Index rows = file.array(name).rows();
  const Matrix<double> pairs = checkpoint.matrix(file, name, rows, size);
  for (Index i = 0; i + 1 < rows; i += 2) add(pairs.row(i).transpose(), pairs.row(i + 1).transpose());
}

}  // namespace orthodict::solver
