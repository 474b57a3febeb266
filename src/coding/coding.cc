// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "coding/blocks.h"
#include "engine/workers.h"
#include "memory/allocation.h"
#include "orthodict/encoder.h"
#include "orthodict/error.h"
#include "orthodict/model.h"

namespace orthodict {
namespace {

// All samples, of which decode_range(first, count) gives some.
RowMatrix<double> decode_blocks(const Model& model, const std::string& name, Index size, std::optional<int> threads,
                                const std::function<RowMatrix<double>(Index, Index)>& decode_range) {
  EncodeOptions{.threads = threads}.validate(model.atoms());
  const Index features[] = {size, model.dimension()};
  memory::require_memory(name, memory::array_bytes(features, sizeof(double)).value_or(coding::kTooMuch));
  RowMatrix<double> samples(size, model.dimension());
  engine::Workers workers(static_cast<int>(
      std::clamp<Index>((size + coding::kBlock - 1) / coding::kBlock, 1, engine::threads_or_all(threads))));
  coding::for_each_block(
      size, workers, [&](Index first, Index count) { samples.middleRows(first, count) = decode_range(first, count); });
  return samples;
}

}  // namespace

RowMatrix<double> encode(const Model& model, const Samples& samples, Index first, Index count,
                         const EncodeOptions& options) {
  options.validate(model.atoms());
  EncodeOptions alone = options;
  alone.threads = 1;
  return Encoder(model, samples, alone).encode(samples, first, count);
}

RowMatrix<double> encode(const Model& model, const Samples& samples, const EncodeOptions& options) {
  return Encoder(model, samples, options).encode(samples, 0, samples.size());
}

SparseCodes encode_sparse(const Model& model, const Samples& samples, const EncodeOptions& options) {
  return Encoder(model, samples, options).encode_sparse(samples, 0, samples.size());
}

RowMatrix<double> decode(const Model& model, const Samples& codes, Index first, Index count) {
  model.require_shapes("model");
  coding::check_request(codes, first, count, model, "atoms");
  const RowMatrix<double> in_real_form = model.is_complex ? coding::real_dictionary(model) : RowMatrix<double>();
  const RowMatrix<double>& dictionary = model.is_complex ? in_real_form : model.dictionary;
  RowMatrix<double> samples =
      coding::apply(dictionary, linalg::Op::kNone, coding::read_columns(codes, first, count, {}));
  coding::check_finite(codes.name(), first, samples);
  samples.rowwise() += model.mean.transpose();
  return samples;
}

RowMatrix<double> decode(const Model& model, const Samples& codes, std::optional<int> threads) {
  return decode_blocks(model, codes.name(), codes.size(), threads,
                       [&](Index first, Index count) { return decode(model, codes, first, count); });
}

RowMatrix<double> decode(const Model& model, const SparseCodes& codes, std::optional<int> threads) {
  const std::string name = "codes";
  model.require_shapes("model");
  if (model.is_complex) throw option_error("sparse codes", "given", "left out for a complex model");
  coding::check_columns(name, codes.cols(), model.atoms(), "atoms");
  return decode_blocks(model, name, codes.rows(), threads, [&](Index first, Index count) {
    RowMatrix<double> samples = codes.middleRows(first, count) * model.dictionary;
    coding::check_finite(name, first, samples);
    samples.rowwise() += model.mean.transpose();
    return samples;
  });
}

}  // namespace orthodict
