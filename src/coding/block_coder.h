// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "coding/code_block.h"
#include "orthodict/coder.h"
#include "orthodict/types.h"

namespace orthodict::coding {

// Finds sparse codes of blocks of samples, for any number of atoms.
class BlockCoder {
 public:
  BlockCoder() = default;
  BlockCoder(const BlockCoder&) = delete;
  BlockCoder& operator=(const BlockCoder&) = delete;
  virtual ~BlockCoder() = default;

  // Appends the codes of the columns of y, n × count, with atoms in rising order. May be called by several threads.
  virtual void encode(const Matrix<double>& y, CodeBlock* codes) const = 0;
};

// The coder of valid options whose `coder` isn't kAuto. `dictionary` has atoms in rows. `unit` is the value of
// options.scale. Of kDense it is the one that chooses atoms by their products with the samples, or with `analysis` if
// that isn't empty, and then computes coefficients by least squares.
[[nodiscard]] std::unique_ptr<BlockCoder> make_block_coder(const RowMatrix<double>& dictionary,
                                                           const RowMatrix<double>& analysis,
                                                           const EncodeOptions& options, double unit);

}  // namespace orthodict::coding
