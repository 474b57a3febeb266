// SPDX-License-Identifier: Apache-2.0
#include "formats/csr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "orthodict/error.h"

namespace orthodict::formats {
namespace {

struct Csr {
  Index rows = 0;
  Index columns = 0;
  std::vector<Index> starts;  // row r has entries starts[r] … starts[r + 1] − 1
  std::vector<Index> indices;
  std::vector<double> values;
};

class CsrSamples final : public Samples {
 public:
  CsrSamples(Csr matrix, std::string name) : matrix_(std::move(matrix)), name_(std::move(name)) {}

  [[nodiscard]] Index dimension() const override { return matrix_.columns; }
  [[nodiscard]] Index size() const override { return matrix_.rows; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  Block<float> block(Index first, Index count, float* scratch) const override { return fill(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return fill(first, count, scratch); }

 private:
  template <typename Scalar>
  Block<Scalar> fill(Index first, Index count, Scalar* scratch) const {
    std::fill(scratch, scratch + matrix_.columns * count, Scalar(0));
    for (Index j = 0; j < count; ++j) {
      Scalar* sample = scratch + j * matrix_.columns;
      const auto row = static_cast<std::size_t>(first + j);
      for (Index e = matrix_.starts[row]; e < matrix_.starts[row + 1]; ++e) {
        const auto entry = static_cast<std::size_t>(e);
        sample[matrix_.indices[entry]] += static_cast<Scalar>(matrix_.values[entry]);  // SciPy adds duplicates
      }
    }
    return {scratch, matrix_.columns};
  }

  Csr matrix_;
  std::string name_;
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
  check(matrix.starts.front() == 0 && matrix.starts.back() == entries, path,
        "indptr must begin with 0 and end with the number of entries");
  check(std::is_sorted(matrix.starts.begin(), matrix.starts.end()), path, "indptr falls");
  check(std::all_of(matrix.indices.begin(), matrix.indices.end(), [&](Index i) { return i < matrix.columns; }), path,
        "a column index is out of range");
  return matrix;
}

}  // namespace

bool is_sparse_matrix(const NpzFile& file) { return file.contains("format") && file.contains("shape"); }

std::unique_ptr<Samples> csr_samples(const NpzFile& file, const std::string& path) {
  const std::string format = file.text("format");
  if (format != "csr") {
    throw data_error(path, fmt::format("sparse matrix of format \"{}\": must be csr (scipy's .tocsr())", format));
  }
  return std::make_unique<CsrSamples>(read_csr(file, path), path);
}

}  // namespace orthodict::formats
