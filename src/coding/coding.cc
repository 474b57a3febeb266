// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <optional>
#include <string>

#include "coding/blocks.h"
#include "coding/row_coders.h"
#include "engine/workers.h"
#include "memory/allocation.h"
#include "orthodict/encoder.h"
#include "orthodict/error.h"
#include "orthodict/model.h"

namespace orthodict {
namespace {

using coding::Scratch;

// Fills a matrix of samples on several threads.
RowMatrix<double> decode_blocks(const Model& model, const std::string& name, Index size, std::optional<int> threads,
                                const std::function<void(Index, Index, double*)>& decode_range) {
  EncodeOptions{.threads = threads}.validate(model.atoms());
  const Index features[] = {size, model.dimension()};
  memory::require_memory(name, memory::array_bytes(features, sizeof(double)).value_or(coding::kTooMuch));
  RowMatrix<double> samples(size, model.dimension());
  engine::Workers workers(coding::threads_for(size, threads));
  coding::for_each_block(size, workers, [&](Index first, Index count, Scratch*) {
    decode_range(first, count, samples.data() + first * model.dimension());
  });
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
  const coding::RowDecoder decoder(model);
  coding::check_request(codes, first, count, model, "atoms");
  RowMatrix<double> samples(count, model.dimension());
  decoder.decode_to(codes, first, count, samples.data());
  return samples;
}

RowMatrix<double> decode(const Model& model, const Samples& codes, std::optional<int> threads) {
  const coding::RowDecoder decoder(model);
  coding::check_request(codes, 0, codes.size(), model, "atoms");
  return decode_blocks(model, codes.name(), codes.size(), threads, [&](Index first, Index count, double* samples) {
    decoder.decode_to(codes, first, count, samples);
  });
}

RowMatrix<double> decode(const Model& model, const SparseCodes& codes, std::optional<int> threads) {
  const std::string name = "codes";
  model.require_shapes("model");
  if (model.is_complex) throw option_error("sparse codes", "given", "left out for a complex model");
  coding::check_columns(name, codes.cols(), model.atoms(), "atoms");
  return decode_blocks(model, name, codes.rows(), threads, [&](Index first, Index count, double* samples) {
    Eigen::Map<RowMatrix<double>>(samples, count, model.dimension()).noalias() =
        codes.middleRows(first, count) * model.dictionary;
    coding::check_finite(name, first, samples, count, model.dimension());
    coding::add_mean(model, count, samples);
  });
}

}  // namespace orthodict
