// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "orthodict/coder.h"
#include "orthodict/export.h"
#include "orthodict/model.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// Encodes samples range by range. What all codes share (the Gram matrix of the atoms, the scale) is computed once. It
// may be used by several threads at once.
class ORTHODICT_EXPORT Encoder {
 public:
  // `model` must outlive the encoder. `samples` are read at once, and only where they determine the scale. Throws Error
  // as encode() does.
  Encoder(const Model& model, const Samples& samples, const EncodeOptions& options = {});
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  // Codes of samples [first, first + count), by as many threads as the options say; the result doesn't depend on that
  // number.
  [[nodiscard]] RowMatrix<double> encode(const Samples& samples, Index first, Index count) const;
  [[nodiscard]] SparseCodes encode_sparse(const Samples& samples, Index first, Index count) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace orthodict
