// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orthodict/coder.h"
#include "orthodict/export.h"
#include "orthodict/output.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// What was learned: k atoms in n dimensions.
//   code of a sample:  z = analysis·(x − mean)
//   sample of a code:  x ≈ mean + dictionaryᵀ·z        (equal when k = n, or when x − mean lies in the atoms' span)
// Atoms are the rows of `dictionary`, of unit norm, in the order of their energy (the mean square of their code) and
// with their largest entry positive. For an orthogonal dictionary, analysis = dictionary. With more atoms than
// dimensions (k > n) a sample has many codes: `analysis` may be empty, and `coder` says how codes are found.
struct ORTHODICT_EXPORT Model {
  RowMatrix<double> dictionary;  // k×n
  RowMatrix<double> analysis;    // k×n, or 0×0 if k > n
  Vector<double> mean;           // n
  std::string metadata = {};     // JSON text: version, options, summary, sample_shape, history
  // Estimated cos² of the angle between an atom and the true one, one per atom: near 1 is established, below ½ is not.
  // Empty when the method doesn't estimate it.
  Vector<double> confidence = {};
  // How samples are encoded unless EncodeOptions say so, as parse_coder() reads it. Empty: by the analysis, or by omp.
  std::string coder = {};

  // Throws Error, naming `name`, unless the shapes fit together and none is empty.
  void require_shapes(const std::string& name) const;
  // The same, and unless every entry is finite.
  void validate(const std::string& name) const;

  [[nodiscard]] Index atoms() const { return dictionary.rows(); }
  [[nodiscard]] Index dimension() const { return dictionary.cols(); }
};

// Samples::sample_shape of what the model was learned from, as its metadata say; empty where they don't, or not of so
// many entries.
[[nodiscard]] ORTHODICT_EXPORT std::vector<Index> sample_shape(const Model& model);

// The .npz file that docs/formats.md describes. Equal models give equal bytes. Throws Error unless validate() holds.
ORTHODICT_EXPORT void save_model(const Output& output, const Model& model);
[[nodiscard]] ORTHODICT_EXPORT Model load_model(const std::string& path);

// The bytes of that file, for databases, sockets and other places that aren't files. `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT std::string model_to_bytes(const Model& model);
[[nodiscard]] ORTHODICT_EXPORT Model model_from_bytes(std::string_view bytes, const std::string& name = "model");

// Codes are rows, as samples are. All functions throw Error where the model isn't one, or the number of features or
// atoms, the range, an option or a value isn't legal.

// Codes of all samples: p×k.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> encode(const Model& model, const Samples& samples,
                                                        const EncodeOptions& options = {});
// The same without the zeros, for codes of which few coefficients are kept.
using SparseCodes = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;
[[nodiscard]] ORTHODICT_EXPORT SparseCodes encode_sparse(const Model& model, const Samples& samples,
                                                         const EncodeOptions& options);
// Codes of samples [first, first + count), by the calling thread. For many ranges: orthodict/encoder.h.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> encode(const Model& model, const Samples& samples, Index first,
                                                        Index count, const EncodeOptions& options = {});

// Samples of all codes: p×n. As many threads as there are cores, unless told.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> decode(const Model& model, const Samples& codes,
                                                        std::optional<int> threads = {});
// Samples of codes [first, first + count), by the calling thread.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> decode(const Model& model, const Samples& codes, Index first,
                                                        Index count);

// The same for samples, or codes, in the rows of a matrix.
template <EigenObject T>
[[nodiscard]] RowMatrix<double> encode(const Model& model, const T& x, const EncodeOptions& options = {}) {
  return encode(model, *samples_in_rows(x), options);
}
template <EigenObject T>
[[nodiscard]] SparseCodes encode_sparse(const Model& model, const T& x, const EncodeOptions& options) {
  return encode_sparse(model, *samples_in_rows(x), options);
}
template <EigenObject T>
[[nodiscard]] RowMatrix<double> decode(const Model& model, const T& codes, std::optional<int> threads = {}) {
  return decode(model, *samples_in_rows(codes), threads);
}

}  // namespace orthodict
