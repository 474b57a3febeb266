// SPDX-License-Identifier: Apache-2.0
#include "formats/csr.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <vector>

#include "orthodict/error.h"
#include "samples/sparse_rows.h"

namespace orthodict::formats {
namespace {

// What a file has of such a matrix, in memory.
struct Csr {
  Index rows = 0;
  Index columns = 0;
  std::vector<Index> starts;  // row r has entries starts[r] … starts[r + 1] − 1
  std::vector<Index> indices;
  std::vector<double> values;
};

std::vector<Index> read_integers(const NpzFile& file, const std::string& path, const std::string& name) {
  const RowMatrix<double> matrix = to_matrix(file.array(name));
  std::vector<Index> integers;
  integers.reserve(static_cast<std::size_t>(matrix.size()));
  for (const double value : matrix.reshaped<Eigen::RowMajor>()) {
    // Valid indices are integers below 2⁵³, which doubles represent exactly.
    if (!(value >= 0 && value < 0x1p53 && value == std::floor(value))) {
      throw data_error(path, fmt::format("sparse matrix: {} contains {}, which isn't an index", name, value));
    }
    integers.push_back(static_cast<Index>(value));
  }
  return integers;
}

void check(bool holds, const std::string& path, const std::string& what) {
  if (!holds) throw data_error(path, "damaged sparse matrix: " + what);
}

Csr read_csr(const NpzFile& file, const std::string& path) {
  for (const char* name : {"shape", "indptr", "indices", "data"}) {
    check(file.contains(name), path, fmt::format("no array \"{}\"", name));
  }
  Csr matrix;
  const std::vector<Index> shape = read_integers(file, path, "shape");
  check(shape.size() == 2 && shape[0] > 0 && shape[1] > 0, path, "shape must be two positive numbers");
  matrix.rows = shape[0];
  matrix.columns = shape[1];
  matrix.starts = read_integers(file, path, "indptr");
  matrix.indices = read_integers(file, path, "indices");
  const RowMatrix<double> values = to_matrix(file.array("data"));
  matrix.values.assign(values.data(), values.data() + values.size());

  const auto entries = static_cast<Index>(matrix.values.size());
  check(static_cast<Index>(matrix.indices.size()) == entries, path, "data and indices must have equal lengths");
  check(static_cast<Index>(matrix.starts.size()) - 1 == matrix.rows, path, "indptr must have one entry more than rows");
  return matrix;
}

}  // namespace

bool is_sparse_matrix(const NpzFile& file) { return file.contains("format") && file.contains("shape"); }

std::unique_ptr<Samples> csr_samples(const NpzFile& file, const std::string& path) {
  const std::string format = file.text("format");
  if (format != "csr") {
    throw data_error(path, fmt::format("sparse matrix of format \"{}\": must be csr (scipy's .tocsr())", format));
  }
  const auto matrix = std::make_shared<const Csr>(read_csr(file, path));
  static_assert(sizeof(Index) == 8);
  return samples::view_sparse_rows({.rows = matrix->rows,
                                    .columns = matrix->columns,
                                    .entries = static_cast<Index>(matrix->values.size()),
                                    .index_type = ElementType::kI64,
                                    .starts = matrix->starts.data(),
                                    .indices = matrix->indices.data(),
                                    .value_type = ElementType::kF64,
                                    .values = matrix->values.data()},
                                   path, matrix);
}

}  // namespace orthodict::formats
