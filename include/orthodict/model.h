// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/names.h"
#include "orthodict/output.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// What was learned: k atoms in n dimensions.
//   code of a sample:  z = analysis·(x − mean)
//   sample of a code:  x ≈ mean + dictionaryᵀ·z        (equal when k = n, or when x − mean lies in the atoms' span)
// Atoms are the rows of `dictionary`, of unit norm, in the order of their energy (the mean square of their code) and
// with their largest entry positive. For an orthogonal dictionary, analysis = dictionary.
struct ORTHODICT_EXPORT Model {
  RowMatrix<double> dictionary;  // k×n
  RowMatrix<double> analysis;    // k×n
  Vector<double> mean;           // n
  std::string metadata = {};     // JSON text: version, options, summary, sample_shape, history
  // Estimated cos² of the angle between an atom and the true one, one per atom: near 1 is established, below ½ is not.
  // Empty when the method doesn't estimate it.
  Vector<double> confidence = {};
  // How well atoms come again in several runs (Options::runs), one entry per atom; empty after a single run.
  // `stability` is Icasso's index of the runs from other starts, mean |similarity| of an atom's versions less that to
  // other atoms', and `found` the share of these runs that have the atom. The other two are those of runs on halves of
  // the samples; empty where there were none.
  Vector<double> stability = {};
  Vector<double> found = {};
  Vector<double> half_stability = {};
  Vector<double> half_found = {};

  // Throws Error, naming `name`, unless the shapes fit together and none is empty.
  void require_shapes(const std::string& name) const;
  // The same, and unless every entry is finite.
  void validate(const std::string& name) const;

  [[nodiscard]] Index atoms() const { return dictionary.rows(); }
  [[nodiscard]] Index dimension() const { return dictionary.cols(); }
};

// Of each atom, whether it is stable: `stability` is at least 0.8 and `found` at least 0.5, from other starts and,
// where there were such runs, on halves of the samples. Empty after a single run.
[[nodiscard]] ORTHODICT_EXPORT std::vector<bool> stable_atoms(const Model& model);

// Samples::sample_shape of what the model was learned from, as its metadata say; empty where they don't, or not of so
// many entries.
[[nodiscard]] ORTHODICT_EXPORT std::vector<Index> sample_shape(const Model& model);

// The .npz file that docs/formats.md describes. Equal models give equal bytes. Throws Error unless validate() holds.
ORTHODICT_EXPORT void save_model(const Output& output, const Model& model);
[[nodiscard]] ORTHODICT_EXPORT Model load_model(const std::string& path);

// The bytes of that file, for databases, sockets and other places that aren't files. `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT std::string model_to_bytes(const Model& model);
[[nodiscard]] ORTHODICT_EXPORT Model model_from_bytes(std::string_view bytes, const std::string& name = "model");

// How a code is found.
enum class Coder { kAnalysis };
template <>
ORTHODICT_EXPORT std::span<const Named<Coder>> names_of();

// How samples are encoded, and which coefficients are kept; the others are set to zero. Unset keeps all.
struct ORTHODICT_EXPORT EncodeOptions {
  Coder coder = Coder::kAnalysis;        // z = analysis·(x − mean)
  std::optional<Index> top = {};         // the `top` largest in absolute value, 1 … k; ties go to the earlier atom
  std::optional<double> threshold = {};  // those with |z| ≥ threshold, a finite number ≥ 0
  std::optional<int> threads = {};       // ≥ 1, for all samples; as many as there are cores unless set

  // Throws Error naming the option that isn't legal for a model of `atoms` atoms.
  void validate(Index atoms) const;
};

// Codes are rows, as samples are. All functions throw Error where the model isn't one, or the number of features or
// atoms, the range, an option or a value isn't legal.

// Codes of all samples: p×k.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> encode(const Model& model, const Samples& samples,
                                                        const EncodeOptions& options = {});
// The same without the zeros, for codes of which few coefficients are kept.
using SparseCodes = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;
[[nodiscard]] ORTHODICT_EXPORT SparseCodes encode_sparse(const Model& model, const Samples& samples,
                                                         const EncodeOptions& options);
// Codes of samples [first, first + count), by the calling thread.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> encode(const Model& model, const Samples& samples, Index first,
                                                        Index count, const EncodeOptions& options = {});

// Samples of all codes: p×n. As many threads as there are cores, unless told.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> decode(const Model& model, const Samples& codes,
                                                        std::optional<int> threads = {});
// The same for what encode_sparse() gives.
[[nodiscard]] ORTHODICT_EXPORT RowMatrix<double> decode(const Model& model, const SparseCodes& codes,
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
