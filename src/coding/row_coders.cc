// SPDX-License-Identifier: Apache-2.0
#include "coding/row_coders.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "coding/least_norm.h"
#include "coding/selection.h"
#include "engine/workers.h"
#include "linalg/complex.h"
#include "orthodict/error.h"

namespace orthodict::coding {
namespace {

// The options with their coder decided: by what is given, then by the model.
EncodeOptions resolved(const Model& model, EncodeOptions options) {
  if (options.coder != Coder::kAuto) return options;
  if (options.top || options.threshold || options.refit) {
    options.coder = Coder::kDense;
  } else if (options.nonzeros || options.error) {
    options.coder = Coder::kOmp;
  } else if (options.penalty) {
    options.coder = Coder::kLasso;
  } else {
    const EncodeOptions own = parse_coder("coder", model.coder.empty() ? "auto" : model.coder);
    options.coder = own.coder;
    options.top = own.top;
    options.threshold = own.threshold;
    options.nonzeros = own.nonzeros;
    options.penalty = own.penalty;
  }
  if (options.coder == Coder::kAuto) options.coder = model.analysis.size() > 0 ? Coder::kDense : Coder::kOmp;
  return options;
}

// The nonzeros of dense codes.
CodeBlock nonzeros_of(const double* codes, Index rows, Index columns) {
  CodeBlock found;
  for (Index j = 0; j < rows; ++j) {
    for (Index i = 0; i < columns; ++i) {
      const double value = codes[j * columns + i];
      if (value == 0) continue;
      found.atoms.push_back(i);
      found.values.push_back(value);
    }
    found.begin.push_back(static_cast<Index>(found.atoms.size()));
  }
  return found;
}

template <typename Scalar>
void scatter(const CodeBlock& block, Index columns, Scalar* codes) {
  std::fill_n(codes, block.size() * columns, Scalar(0));
  for (Index j = 0; j < block.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    for (auto e = static_cast<std::size_t>(block.begin[at]); e < static_cast<std::size_t>(block.begin[at + 1]); ++e) {
      codes[j * columns + block.atoms[e]] = static_cast<Scalar>(block.values[e]);
    }
  }
}

SparseCodes assemble(const std::vector<CodeBlock>& blocks, Index rows, Index columns) {
  std::size_t total = 0;
  for (const CodeBlock& block : blocks) total += block.values.size();
  SparseCodes codes(rows, columns);
  codes.resizeNonZeros(static_cast<Index>(total));
  Index row = 0, begin = 0;
  for (const CodeBlock& block : blocks) {
    std::copy(block.atoms.begin(), block.atoms.end(), codes.innerIndexPtr() + begin);
    std::copy(block.values.begin(), block.values.end(), codes.valuePtr() + begin);
    for (Index i = 1; i <= block.size(); ++i) {
      codes.outerIndexPtr()[++row] = begin + block.begin[static_cast<std::size_t>(i)];
    }
    begin += static_cast<Index>(block.atoms.size());
  }
  return codes;
}

void round_to_single(const double* values, Index count, float* singles) {
  std::transform(values, values + count, singles, [](double value) { return static_cast<float>(value); });
}

}  // namespace

RowEncoder::RowEncoder(const Model& model, const Samples& samples, const EncodeOptions& options) : model_(model) {
  model.require_shapes("model");
  options.validate(model.atoms());
  columns_ = model.atoms() * linalg::reals(model.is_complex);
  options_ = resolved(model, options);
  const bool selects = options_.top || options_.threshold;
  const bool has_analysis = model.analysis.size() > 0;
  if (model.is_complex) {
    require_products();
    analysis_ = real_analysis(model);
    return;
  }
  if (options_.coder == Coder::kDense && !options_.refit && (has_analysis || !selects)) {
    if (!has_analysis) analysis_ = least_norm_analysis(model.dictionary);
  } else {
    coder_ = make_block_coder(model.dictionary, model.analysis, options_, unit(samples));
  }
}

void RowEncoder::encode_to(const Samples& samples, Index first, Index count, double* codes) const {
  check(samples, first, count);
  for_each_block(count, [&](Index begin, Index size, Scratch* scratch) {
    double* const out = codes + begin * columns_;
    if (coder_) {
      scatter(sparse(samples, first + begin, size), columns_, out);
    } else {
      dense(samples, first + begin, size, out, scratch);
    }
  });
}

void RowEncoder::encode_to(const Samples& samples, Index first, Index count, float* codes) const {
  check(samples, first, count);
  for_each_block(count, [&](Index begin, Index size, Scratch* scratch) {
    float* const out = codes + begin * columns_;
    if (coder_) {
      scatter(sparse(samples, first + begin, size), columns_, out);
    } else {
      round_to_single(dense(samples, first + begin, size, scratch), size * columns_, out);
    }
  });
}

SparseCodes RowEncoder::encode_sparse(const Samples& samples, Index first, Index count) const {
  if (model_.is_complex) throw option_error("sparse codes", "asked for", "left out for a complex model");
  check(samples, first, count);
  std::vector<CodeBlock> blocks(static_cast<std::size_t>((count + kBlock - 1) / kBlock));
  for_each_block(count, [&](Index begin, Index size, Scratch* scratch) {
    blocks[static_cast<std::size_t>(begin / kBlock)] =
        coder_ ? sparse(samples, first + begin, size)
               : nonzeros_of(dense(samples, first + begin, size, scratch), size, columns_);
  });
  return assemble(blocks, count, columns_);
}

void RowEncoder::for_each_block(Index rows, const std::function<void(Index, Index, Scratch*)>& work) const {
  engine::Workers workers(threads_for(rows, options_.threads));
  coding::for_each_block(rows, workers, work);
}

void RowEncoder::dense(const Samples& samples, Index first, Index count, double* codes, Scratch* scratch) const {
  const RowMatrix<double>& analysis = analysis_.size() > 0 ? analysis_ : model_.analysis;
  multiply_rows(samples, first, count, model_.mean, analysis, linalg::Op::kTranspose, codes, scratch);
  for (Index j = 0; j < count; ++j) keep(options_, codes + j * columns_, model_.atoms(), model_.is_complex);
}

const double* RowEncoder::dense(const Samples& samples, Index first, Index count, Scratch* scratch) const {
  if (scratch->products.size() < count * columns_) scratch->products.resize(count * columns_);
  dense(samples, first, count, scratch->products.data(), scratch);
  return scratch->products.data();
}

CodeBlock RowEncoder::sparse(const Samples& samples, Index first, Index count) const {
  const Matrix<double> y = read_columns(samples, first, count, model_.mean);
  check_finite(samples.name(), first, y.data(), count, y.rows());
  CodeBlock codes;
  coder_->encode(y, &codes);
  return codes;
}

// The coders that search for a sparse code compute with real numbers.
void RowEncoder::require_products() const {
  if (options_.coder != Coder::kDense) {
    throw option_error("coder", std::string(name_of(options_.coder)),
                       "dense, top:K or threshold:T for a complex model");
  }
  if (options_.refit) throw option_error("refit", "given", "left out for a complex model");
}

// options.scale, or the rms of the entries of all samples minus the mean; 1 if that is zero.
double RowEncoder::unit(const Samples& samples) const {
  if (!depends_on_samples()) return options_.scale.value_or(1);
  check(samples, 0, samples.size());
  Vector<double> norms = Vector<double>::Zero((samples.size() + kBlock - 1) / kBlock);
  for_each_block(samples.size(), [&](Index first, Index count, Scratch*) {
    const Matrix<double> y = read_columns(samples, first, count, model_.mean);
    check_finite(samples.name(), first, y.data(), count, y.rows());
    norms[first / kBlock] = y.reshaped().stableNorm();
  });
  const double norm = norms.size() > 0 ? norms.stableNorm() : 0;  // of all entries; squares may be out of range
  return norm > 0 ? norm / std::sqrt(static_cast<double>(samples.size() * model_.dimension())) : 1;
}

RowDecoder::RowDecoder(const Model& model) : model_(model) {
  model.require_shapes("model");
  if (model.is_complex) in_real_form_ = real_dictionary(model);
}

void RowDecoder::decode_block(const Samples& codes, Index first, Index count, double* samples, Scratch* scratch) const {
  const RowMatrix<double>& dictionary = model_.is_complex ? in_real_form_ : model_.dictionary;
  multiply_rows(codes, first, count, {}, dictionary, linalg::Op::kNone, samples, scratch);
  add_mean(model_, count, samples);
}

void RowDecoder::decode_to(const Samples& codes, Index first, Index count, double* samples) const {
  check_request(codes, first, count, model_, "atoms");
  Scratch scratch;
  for (Index begin = 0; begin < count; begin += kBlock) {
    decode_block(codes, first + begin, std::min(kBlock, count - begin), samples + begin * model_.dimension(), &scratch);
  }
}

void RowDecoder::decode_to(const Samples& codes, Index first, Index count, float* samples) const {
  check_request(codes, first, count, model_, "atoms");
  Scratch scratch;
  const Index n = model_.dimension();
  scratch.products.resize(std::min(kBlock, count) * n);
  for (Index begin = 0; begin < count; begin += kBlock) {
    const Index rows = std::min(kBlock, count - begin);
    decode_block(codes, first + begin, rows, scratch.products.data(), &scratch);
    round_to_single(scratch.products.data(), rows * n, samples + begin * n);
  }
}

}  // namespace orthodict::coding
