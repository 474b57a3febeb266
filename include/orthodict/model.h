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

// A learned dictionary: k atoms in n dimensions.
//   code of a sample:  z = analysis·(x − mean)
//   sample of a code:  x ≈ mean + dictionaryᵀ·z        (equal if k = n, or if x − mean lies in the span of the atoms)
// Atoms are the rows of `dictionary`. They have unit norm, are sorted by energy (the mean square of their code),
// largest first, and have a positive largest entry. For an orthogonal dictionary, analysis = dictionary. With
// more atoms than dimensions (k > n) a sample has many codes: `analysis` may be empty, and `coder` says how codes are
// found.
struct ORTHODICT_EXPORT Model {
  RowMatrix<double> dictionary;  // k×n
  RowMatrix<double> analysis;    // k×n, or 0×0 if k > n
  Vector<double> mean;           // n
  std::string metadata = {};     // JSON text: version, options, summary, sample_shape, history
  // For each atom the estimated cos² of its angle to the true one: ≥ ½ is established. Empty if the method doesn't
  // estimate it.
  Vector<double> confidence = {};
  // How well atoms come again in several runs (Options::runs), one entry per atom; empty after a single run.
  // `stability` is Icasso's index of the runs from other starts, mean |similarity| of an atom's versions less that to
  // other atoms', and `found` the share of these runs that have the atom. The other two are those of runs on choices of
  // the samples (Options::resample); empty where there were none.
  Vector<double> stability = {};
  Vector<double> found = {};
  Vector<double> resampled_stability = {};
  Vector<double> resampled_found = {};
  // How samples are encoded unless EncodeOptions say so, as parse_coder() reads it. Empty: by the analysis, or by omp.
  std::string coder = {};
  // A model of complex samples has the same matrices with complex numbers, each as two neighbouring entries: real part,
  // imaginary part (orthodict/complex.h). z = analysis·(x − mean) and x ≈ mean + dictionaryᵀ·z without conjugates; of
  // an orthogonal dictionary, analysis is the conjugate. The largest entry of an atom is real and positive.
  bool is_complex = false;

  // Throws Error that names `name` unless the shapes are consistent and not empty.
  void require_shapes(const std::string& name) const;
  // The same, and throws Error unless all entries are finite.
  void validate(const std::string& name) const;

  [[nodiscard]] Index atoms() const { return dictionary.rows(); }
  [[nodiscard]] Index dimension() const { return dictionary.cols(); }  // n; of complex models 2n
  [[nodiscard]] Index features() const { return is_complex ? dimension() / 2 : dimension(); }  // n
  [[nodiscard]] bool is_overcomplete() const { return atoms() > features(); }
};

// Of each atom, whether it is stable: `stability` is at least 0.8 and `found` at least 0.5, from other starts and,
// where there were such runs, on choices of the samples. Empty after a single run.
[[nodiscard]] ORTHODICT_EXPORT std::vector<bool> stable_atoms(const Model& model);

// Samples::sample_shape of the training samples, from the model's metadata. Empty if they don't have it, or if it
// doesn't match the dimension.
[[nodiscard]] ORTHODICT_EXPORT std::vector<Index> sample_shape(const Model& model);

// Saves and loads the .npz file described in docs/formats.md. Equal models give equal bytes. Throw Error unless
// validate() succeeds.
ORTHODICT_EXPORT void save_model(const Output& output, const Model& model);
[[nodiscard]] ORTHODICT_EXPORT Model load_model(const std::string& path);

// The same for the bytes of that file, for databases, sockets and the like. `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT std::string model_to_bytes(const Model& model);
[[nodiscard]] ORTHODICT_EXPORT Model model_from_bytes(std::string_view bytes, const std::string& name = "model");

// Codes are rows, like samples. Those of a complex model are complex, and have two columns per atom
// (orthodict/complex.h): `top` and `threshold` choose by |z|, and sparse codes, omp, lasso and refit are errors. All
// functions throw Error for invalid models, options and ranges, mismatched numbers of features or atoms, and values
// that aren't finite.

// Codes of all samples: p×k.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> encode(const Model& model, const Samples& samples,
                                                        const EncodeOptions& options = {});
// The same as a sparse matrix, for codes with few nonzero coefficients.
using SparseCodes = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;
[[nodiscard]] ORTHODICT_EXPORT SparseCodes encode_sparse(const Model& model, const Samples& samples,
                                                         const EncodeOptions& options);
// Codes of samples [first, first + count), computed by the calling thread. For many ranges: orthodict/encoder.h.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> encode(const Model& model, const Samples& samples, Index first,
                                                        Index count, const EncodeOptions& options = {});

// Samples of all codes: p×n. Default number of threads: one per core.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> decode(const Model& model, const Samples& codes,
                                                        std::optional<int> threads = {});
// The same for the codes of encode_sparse().
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> decode(const Model& model, const SparseCodes& codes,
                                                        std::optional<int> threads = {});
// Samples of codes [first, first + count), computed by the calling thread.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> decode(const Model& model, const Samples& codes, Index first,
                                                        Index count);

// The same for samples or codes in the rows of a matrix.
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
