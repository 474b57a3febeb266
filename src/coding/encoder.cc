// SPDX-License-Identifier: Apache-2.0
#include "orthodict/encoder.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "coding/block_coder.h"
#include "coding/blocks.h"
#include "coding/least_norm.h"
#include "coding/selection.h"
#include "engine/workers.h"
#include "linalg/complex.h"
#include "memory/allocation.h"
#include "orthodict/error.h"

namespace orthodict {
namespace {

using coding::CodeBlock;
using coding::kBlock;

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
CodeBlock nonzeros_of(const RowMatrix<double>& codes) {
  CodeBlock found;
  for (Index j = 0; j < codes.rows(); ++j) {
    for (Index i = 0; i < codes.cols(); ++i) {
      if (codes(j, i) == 0) continue;
      found.atoms.push_back(i);
      found.values.push_back(codes(j, i));
    }
    found.begin.push_back(static_cast<Index>(found.atoms.size()));
  }
  return found;
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

}  // namespace

class Encoder::Implementation {
 public:
  Implementation(const Model& model, const Samples& samples, const EncodeOptions& options)
      : model_(model),
        reals_(linalg::reals(model.is_complex)),
        options_(resolved(model, options)),
        workers_(static_cast<int>(
            std::clamp<Index>((samples.size() + kBlock - 1) / kBlock, 1, engine::threads_or_all(options.threads)))) {
    const bool selects = options_.top || options_.threshold;
    const bool has_analysis = model.analysis.size() > 0;
    if (model.is_complex) {
      require_products();
      analysis_ = coding::real_analysis(model);
      return;
    }
    if (options_.coder == Coder::kDense && !options_.refit && (has_analysis || !selects)) {
      if (!has_analysis) analysis_ = coding::least_norm_analysis(model.dictionary);
    } else {
      coder_ = coding::make_block_coder(model.dictionary, model.analysis, options_, unit(samples));
    }
  }

  RowMatrix<double> encode(const Samples& samples, Index first, Index count) {
    coding::check_request(samples, first, count, model_, "features");
    const Index atoms[] = {count, model_.atoms() * reals_};
    memory::require_memory(samples.name(), memory::array_bytes(atoms, sizeof(double)).value_or(coding::kTooMuch));
    RowMatrix<double> codes(count, model_.atoms() * reals_);
    coding::for_each_block(count, workers_, [&](Index begin, Index size) {
      if (!coder_) {
        codes.middleRows(begin, size) = dense(samples, first + begin, size);
        return;
      }
      codes.middleRows(begin, size).setZero();
      const CodeBlock block = sparse(samples, first + begin, size);
      for (Index j = 0; j < size; ++j) {
        for (Index e = block.begin[static_cast<std::size_t>(j)]; e < block.begin[static_cast<std::size_t>(j + 1)];
             ++e) {
          codes(begin + j, block.atoms[static_cast<std::size_t>(e)]) = block.values[static_cast<std::size_t>(e)];
        }
      }
    });
    return codes;
  }

  SparseCodes encode_sparse(const Samples& samples, Index first, Index count) {
    if (model_.is_complex) throw option_error("sparse codes", "asked for", "left out for a complex model");
    coding::check_request(samples, first, count, model_, "features");
    std::vector<CodeBlock> blocks(static_cast<std::size_t>((count + kBlock - 1) / kBlock));
    coding::for_each_block(count, workers_, [&](Index begin, Index size) {
      blocks[static_cast<std::size_t>(begin / kBlock)] =
          coder_ ? sparse(samples, first + begin, size) : nonzeros_of(dense(samples, first + begin, size));
    });
    return assemble(blocks, count, model_.atoms());
  }

 private:
  RowMatrix<double> dense(const Samples& samples, Index first, Index count) const {
    const RowMatrix<double>& analysis = analysis_.size() > 0 ? analysis_ : model_.analysis;
    RowMatrix<double> codes =
        coding::apply(analysis, linalg::Op::kTranspose, coding::read_columns(samples, first, count, model_.mean));
    coding::check_finite(samples.name(), first, codes);
    for (Index j = 0; j < count; ++j) coding::keep(options_, &codes(j, 0), model_.atoms(), model_.is_complex);
    return codes;
  }

  CodeBlock sparse(const Samples& samples, Index first, Index count) const {
    const Matrix<double> y = coding::read_columns(samples, first, count, model_.mean);
    if (!y.allFinite()) coding::check_finite(samples.name(), first, y.transpose());
    CodeBlock codes;
    coder_->encode(y, &codes);
    return codes;
  }

  // The coders that search for a sparse code compute with real numbers.
  void require_products() const {
    if (options_.coder != Coder::kDense) {
      throw option_error("coder", std::string(name_of(options_.coder)),
                         "dense, top:K or threshold:T for a complex model");
    }
    if (options_.refit) throw option_error("refit", "given", "left out for a complex model");
  }

  // options.scale, or the rms of the entries of all samples minus the mean; 1 if that is zero.
  double unit(const Samples& samples) {
    if (!options_.penalty && !options_.error) return 1;
    if (options_.scale) return *options_.scale;
    coding::check_request(samples, 0, samples.size(), model_, "features");
    std::vector<double> sums(static_cast<std::size_t>((samples.size() + kBlock - 1) / kBlock));
    coding::for_each_block(samples.size(), workers_, [&](Index first, Index count) {
      const Matrix<double> y = coding::read_columns(samples, first, count, model_.mean);
      if (!y.allFinite()) coding::check_finite(samples.name(), first, y.transpose());
      sums[static_cast<std::size_t>(first / kBlock)] = y.squaredNorm();
    });
    double sum = 0;
    for (const double one : sums) sum += one;
    const double mean = sum / std::max(1.0, static_cast<double>(samples.size() * model_.dimension()));
    return mean > 0 ? std::sqrt(mean) : 1;
  }

  const Model& model_;
  Index reals_;  // in a coefficient
  EncodeOptions options_;
  engine::Workers workers_;
  RowMatrix<double> analysis_;                 // instead of the model's, that of a complex model in real form
  std::unique_ptr<coding::BlockCoder> coder_;  // null: products with the analysis
};

Encoder::Encoder(const Model& model, const Samples& samples, const EncodeOptions& options) {
  model.require_shapes("model");
  options.validate(model.atoms());
  implementation_ = std::make_unique<Implementation>(model, samples, options);
}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

RowMatrix<double> Encoder::encode(const Samples& samples, Index first, Index count) const {
  return implementation_->encode(samples, first, count);
}

SparseCodes Encoder::encode_sparse(const Samples& samples, Index first, Index count) const {
  return implementation_->encode_sparse(samples, first, count);
}

}  // namespace orthodict
