// SPDX-License-Identifier: Apache-2.0
#include "orthodict/encoder.h"

#include "coding/blocks.h"
#include "coding/row_coders.h"
#include "memory/allocation.h"

namespace orthodict {

class Encoder::Implementation : public coding::RowEncoder {
  using RowEncoder::RowEncoder;
};

Encoder::Encoder(const Model& model, const Samples& samples, const EncodeOptions& options)
    : implementation_(std::make_unique<Implementation>(model, samples, options)) {}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

RowMatrix<double> Encoder::encode(const Samples& samples, Index first, Index count) const {
  implementation_->check(samples, first, count);
  const Index shape[] = {count, implementation_->columns()};
  memory::require_memory(samples.name(), memory::array_bytes(shape, sizeof(double)).value_or(coding::kTooMuch));
  RowMatrix<double> codes(count, implementation_->columns());
  implementation_->encode_to(samples, first, count, codes.data());
  return codes;
}

SparseCodes Encoder::encode_sparse(const Samples& samples, Index first, Index count) const {
  return implementation_->encode_sparse(samples, first, count);
}

}  // namespace orthodict
