// SPDX-License-Identifier: Apache-2.0
#include "samples/sparse_rows.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "orthodict/error.h"

namespace orthodict::samples {
namespace {

template <typename Integer, typename Value>
class SparseSamples final : public Samples {
 public:
  SparseSamples(const SparseRows& matrix, std::string name, std::shared_ptr<const void> owner)
      : rows_(matrix.rows),
        columns_(matrix.columns),
        starts_(static_cast<const Integer*>(matrix.starts)),
        indices_(static_cast<const Integer*>(matrix.indices)),
        values_(static_cast<const Value*>(matrix.values)),
        name_(std::move(name)),
        owner_(std::move(owner)) {
    const auto entries = static_cast<Integer>(matrix.entries);
    require(starts_[0] == 0 && starts_[rows_] == entries,
            "indptr must begin with 0 and end with the number of entries");
    require(std::is_sorted(starts_, starts_ + rows_ + 1), "indptr falls");
    require(std::all_of(indices_, indices_ + entries, [this](Integer i) { return i >= 0 && i < columns_; }),
            "a column index is out of range");
  }

  [[nodiscard]] Index dimension() const override { return columns_; }
  [[nodiscard]] Index size() const override { return rows_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool fits_f32() const override { return std::is_same_v<Value, float>; }
  Block<float> block(Index first, Index count, float* scratch) const override { return fill(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return fill(first, count, scratch); }

 private:
  void require(bool holds, const char* what) const {
    if (!holds) throw data_error(name_, std::string("damaged sparse matrix: ") + what);
  }

  template <typename Scalar>
  Block<Scalar> fill(Index first, Index count, Scalar* scratch) const {
    std::fill(scratch, scratch + columns_ * count, Scalar(0));
    for (Index j = 0; j < count; ++j) {
      Scalar* const sample = scratch + j * columns_;
      for (Integer e = starts_[first + j]; e < starts_[first + j + 1]; ++e) {
        sample[indices_[e]] += static_cast<Scalar>(values_[e]);
      }
    }
    return {scratch, columns_};
  }

  Index rows_;
  Index columns_;
  const Integer* starts_;
  const Integer* indices_;
  const Value* values_;
  std::string name_;
  std::shared_ptr<const void> owner_;
};

template <typename Integer>
std::unique_ptr<Samples> with_indices(const SparseRows& matrix, const std::string& name,
                                      std::shared_ptr<const void> owner) {
  if (matrix.value_type == ElementType::kF32) {
    return std::make_unique<SparseSamples<Integer, float>>(matrix, name, std::move(owner));
  }
  return std::make_unique<SparseSamples<Integer, double>>(matrix, name, std::move(owner));
}

}  // namespace

std::unique_ptr<Samples> view_sparse_rows(const SparseRows& matrix, const std::string& name,
                                          std::shared_ptr<const void> owner) {
  if (matrix.index_type == ElementType::kI32) return with_indices<std::int32_t>(matrix, name, std::move(owner));
  return with_indices<std::int64_t>(matrix, name, std::move(owner));
}

}  // namespace orthodict::samples
