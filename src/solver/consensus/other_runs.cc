// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/other_runs.h"

#include <algorithm>
#include <cmath>

#include "orthodict/array.h"

namespace orthodict::solver {
namespace {

constexpr const char* kRows = "runs_rows";      // of the complete runs, one below the other
constexpr const char* kPasses = "runs_passes";  // of each run, −1 where it isn't complete
constexpr const char* kLimit = "runs_limit";    // of iterations; −1 for none
constexpr double kMostPasses = 1e9;             // more than all runs take
constexpr Index kMostRuns = 20000;

bool is_count(double value, double most) { return value >= -1 && value <= most && std::trunc(value) == value; }

}  // namespace

void OtherRuns::begin(int runs, Index rows, Index columns, std::optional<int> max_iterations,
                      const Checkpoint& checkpoint) {
  const auto count = static_cast<std::size_t>(runs);
  if (learned_.empty() || max_iterations != max_iterations_) learned_.assign(count, std::nullopt);
  max_iterations_ = max_iterations;
  bool fits = learned_.size() == count;
  for (const auto& learned : learned_) {
    fits = fits && (!learned || (learned->rows.rows() == rows && learned->rows.cols() == columns));
  }
  if (!fits) checkpoint.refuse("damaged checkpoint: its runs don't fit");
}

bool OtherRuns::is_complete() const {
  return std::all_of(learned_.begin(), learned_.end(), [](const auto& learned) { return learned.has_value(); });
}

int OtherRuns::passes() const {
  int passes = 0;
  for (const auto& learned : learned_) passes += learned ? learned->passes : 0;
  return passes;
}

void OtherRuns::save(formats::NpzBuilder* file) const {
  if (learned_.empty()) return;
  Vector<double> passes = Vector<double>::Constant(static_cast<Index>(learned_.size()), -1);
  Index count = 0, rows = 0, columns = 0;
  for (std::size_t i = 0; i < learned_.size(); ++i) {
    if (!learned_[i]) continue;
    passes[static_cast<Index>(i)] = learned_[i]->passes;
    rows = learned_[i]->rows.rows();
    columns = learned_[i]->rows.cols();
    ++count;
  }
  RowMatrix<double> stacked(count * rows, columns);
  Index at = 0;
  for (const auto& learned : learned_) {
    if (learned) stacked.middleRows(rows * at++, rows) = learned->rows;
  }
  file->add(kPasses, passes);
  file->add(kLimit, Vector<double>(Vector<double>::Constant(1, max_iterations_.value_or(-1))));
  file->add(kRows, stacked);
}

void OtherRuns::load(const formats::NpzFile& file, const Checkpoint& checkpoint) {
  learned_.clear();
  if (!file.contains(kPasses)) return;
  const RowMatrix<double> passes = to_matrix(file.array(kPasses)), limit = to_matrix(file.array(kLimit));
  const auto complete = static_cast<Index>((passes.array() >= 0).count());
  const Array array = file.array(kRows);
  const bool fits = passes.size() >= 1 && passes.size() <= kMostRuns && limit.size() == 1 && is_count(limit(0), 2e9) &&
                    (complete > 0 ? array.rows() % complete == 0 : array.rows() == 0);
  if (!fits) checkpoint.refuse("damaged checkpoint: its runs don't fit");
  const Matrix<double> stacked = checkpoint.matrix(file, kRows, array.rows(), array.columns());
  max_iterations_ = limit(0) < 0 ? std::nullopt : std::optional(static_cast<int>(limit(0)));
  const Index rows = complete > 0 ? stacked.rows() / complete : 0;
  Index at = 0;
  double total = 0;
  for (const double count : passes.reshaped()) {
    total += std::max(count, 0.0);
    if (!is_count(count, kMostPasses) || total > kMostPasses) {
      checkpoint.refuse("damaged checkpoint: passes out of range");
    }
    learned_.emplace_back();
    if (count < 0) continue;
    learned_.back() = Learned{stacked.middleRows(rows * at++, rows), static_cast<int>(count)};
  }
}

}  // namespace orthodict::solver
