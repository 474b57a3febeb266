// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "coding/block_coder.h"
#include "coding/blocks.h"
#include "orthodict/coder.h"
#include "orthodict/export.h"
#include "orthodict/model.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// Encodes samples range by range and writes codes where they are wanted. What all codes share is computed once, and
// each call has its own threads, so several may be in progress. Throws Error as orthodict/encoder.h says.
class ORTHODICT_EXPORT RowEncoder {
 public:
  // `model` must outlive the encoder. `samples` are read only where they determine the scale.
  RowEncoder(const Model& model, const Samples& samples, const EncodeOptions& options);

  [[nodiscard]] Index columns() const { return columns_; }  // numbers in a code
  // Whether the scale is that of the samples it was made with.
  [[nodiscard]] bool depends_on_samples() const { return (options_.penalty || options_.error) && !options_.scale; }

  // Throws Error unless the samples [first, first + count) exist and are like the model.
  void check(const Samples& samples, Index first, Index count) const {
    check_request(samples, first, count, model_, "features");
  }

  // Writes the codes of samples [first, first + count) to `codes`, one row after the other.
  void encode_to(const Samples& samples, Index first, Index count, double* codes) const;
  void encode_to(const Samples& samples, Index first, Index count, float* codes) const;
  [[nodiscard]] SparseCodes encode_sparse(const Samples& samples, Index first, Index count) const;

 private:
  void for_each_block(Index rows, const std::function<void(Index first, Index count, Scratch* scratch)>& work) const;
  void dense(const Samples& samples, Index first, Index count, double* codes, Scratch* scratch) const;
  [[nodiscard]] const double* dense(const Samples& samples, Index first, Index count, Scratch* scratch) const;
  [[nodiscard]] CodeBlock sparse(const Samples& samples, Index first, Index count) const;
  void require_products() const;
  [[nodiscard]] double unit(const Samples& samples) const;

  const Model& model_;
  Index columns_;
  EncodeOptions options_;
  RowMatrix<double> analysis_;         // instead of the model's, that of a complex model in real form
  std::unique_ptr<BlockCoder> coder_;  // null: products with the analysis
};

// Decodes codes range by range, in the calling thread. Several calls may be in progress.
class ORTHODICT_EXPORT RowDecoder {
 public:
  // `model` must outlive the decoder.
  explicit RowDecoder(const Model& model);

  // Writes the samples of codes [first, first + count) to `samples`, one row after the other.
  void decode_to(const Samples& codes, Index first, Index count, double* samples) const;
  void decode_to(const Samples& codes, Index first, Index count, float* samples) const;

 private:
  void decode_block(const Samples& codes, Index first, Index count, double* samples, Scratch* scratch) const;

  const Model& model_;
  RowMatrix<double> in_real_form_;  // the dictionary of a complex model
};

}  // namespace orthodict::coding
