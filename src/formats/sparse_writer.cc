// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <utility>
#include <vector>

#include "formats/npz.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "text/suffix.h"

namespace orthodict {
namespace {

class SparseWriter final : public RowWriter {
 public:
  SparseWriter(Output output, Index rows, Index columns) : output_(std::move(output)), rows_(rows), columns_(columns) {
    starts_.push_back(0);
  }

  void append(const Eigen::Ref<const RowMatrix<double>>& rows) override { append_rows(rows); }
  void append(const Eigen::Ref<const RowMatrix<float>>& rows) override { append_rows(rows.cast<double>()); }

  void commit() override {
    if (static_cast<Index>(starts_.size()) - 1 != rows_) throw std::logic_error("SparseWriter: rows are missing");
    formats::NpzBuilder builder;
    builder.add("indices", std::span<const std::int64_t>(indices_));
    builder.add("indptr", std::span<const std::int64_t>(starts_));
    builder.add_bytes("format", "csr");
    const std::int64_t shape[] = {rows_, columns_};
    builder.add("shape", std::span<const std::int64_t>(shape));
    builder.add("data", std::span<const double>(values_));
    write_file(output_, builder.finish());
  }

 private:
  void append_rows(const Eigen::Ref<const RowMatrix<double>>& rows) {
    if (rows.cols() != columns_) throw std::logic_error("SparseWriter: a row has the wrong width");
    for (Index j = 0; j < rows.rows(); ++j) {
      for (Index i = 0; i < rows.cols(); ++i) {
        if (rows(j, i) == 0) continue;
        indices_.push_back(i);
        values_.push_back(rows(j, i));
      }
      starts_.push_back(static_cast<std::int64_t>(values_.size()));
    }
  }

  Output output_;
  Index rows_;
  Index columns_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> indices_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RowWriter> open_sparse_writer(const Output& output, Index rows, Index columns) {
  if (!output.descriptor() && !text::has_suffix(output.name(), ".npz")) {
    throw Error(Fault::kOption, output.name() + ": a sparse output must be an .npz file");
  }
  return std::make_unique<SparseWriter>(output, rows, columns);
}

}  // namespace orthodict
