// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/workers.h"
#include "linalg/blas.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "orthodict/model.h"

namespace orthodict {
namespace {

void check_columns(const std::string& name, Index columns, Index expected, const std::string& what) {
  if (columns != expected) {
    throw data_error(name, fmt::format("{} columns, but the model has {} {}", columns, expected, what));
  }
}

void check_request(const Samples& samples, Index first, Index count, Index expected, const std::string& what) {
  if (first < 0 || count < 0 || first > samples.size() - count) {
    throw option_error("first, count", fmt::format("{}, {}", first, count),
                       fmt::format("a range within the {} rows of {}", samples.size(), samples.name()));
  }
  check_columns(samples.name(), samples.dimension(), expected, what);
}

void check_finite(const std::string& name, Index first, const RowMatrix<double>& result) {
  if (result.allFinite()) return;
  for (Index j = 0; j < result.rows(); ++j) {
    if (!result.row(j).allFinite()) {
      throw data_error(name, fmt::format("row {} (counting from 0) has values that aren't finite", first + j));
    }
  }
}

// Returns rows (y − shift)·matrixᵀ (kTranspose) or (y − shift)·matrix (kNone). A row-major matrix is passed to GEMM as
// its column-major transpose.
RowMatrix<double> apply(const RowMatrix<double>& matrix, linalg::Op op, const Samples& samples, Index first,
                        Index count, const Vector<double>& shift) {
  Vector<double> scratch(samples.dimension() * count);
  const Block<double> block = samples.block(first, count, scratch.data());
  Matrix<double> y = Eigen::Map<const Matrix<double>, 0, Eigen::OuterStride<>>(block.data, samples.dimension(), count,
                                                                               Eigen::OuterStride<>(block.stride));
  if (shift.size() > 0) y.colwise() -= shift;
  const Index columns = op == linalg::Op::kTranspose ? matrix.rows() : matrix.cols();
  RowMatrix<double> result(count, columns);
  linalg::gemm(op, linalg::Op::kNone, columns, count, samples.dimension(), 1.0, matrix.data(), matrix.cols(), y.data(),
               samples.dimension(), 0.0, result.data(), columns);
  return result;
}

void keep_top(Index top, RowMatrix<double>* codes) {
  std::vector<Index> order(static_cast<std::size_t>(codes->cols()));
  for (Index j = 0; j < codes->rows(); ++j) {
    auto z = codes->row(j);
    std::iota(order.begin(), order.end(), 0);
    const auto larger = [&](Index a, Index b) {
      return std::abs(z[a]) != std::abs(z[b]) ? std::abs(z[a]) > std::abs(z[b]) : a < b;
    };
    std::nth_element(order.begin(), order.begin() + (top - 1), order.end(), larger);
    for (auto i = static_cast<std::size_t>(top); i < order.size(); ++i) z[order[i]] = 0;
  }
}

constexpr Index kBlock = 256;
constexpr std::size_t kTooMuch = std::numeric_limits<std::size_t>::max();

// Calls work(first, count) for all blocks of rows, in parallel.
void for_each_block(Index rows, std::optional<int> threads, const std::function<void(Index, Index)>& work) {
  const Index blocks = (rows + kBlock - 1) / kBlock;
  if (blocks == 0) return;
  const auto most = static_cast<int>(std::min<Index>(blocks, engine::threads_or_all(threads)));
  engine::Workers workers(most);
  workers.for_each(most, blocks, [&](Index block) {
    const Index first = block * kBlock;
    work(first, std::min(kBlock, rows - first));
  });
}

void check_threads(std::optional<int> threads) {
  if (threads && *threads < 1) throw option_error("threads", std::to_string(*threads), "an integer ≥ 1");
}

// All samples, of which decode_range(first, count) gives some.
RowMatrix<double> decode_blocks(const Model& model, const std::string& name, Index size, std::optional<int> threads,
                                const std::function<RowMatrix<double>(Index, Index)>& decode_range) {
  check_threads(threads);
  const Index features[] = {size, model.dimension()};
  memory::require_memory(name, memory::array_bytes(features, sizeof(double)).value_or(kTooMuch));
  RowMatrix<double> samples(size, model.dimension());
  for_each_block(size, threads,
                 [&](Index first, Index count) { samples.middleRows(first, count) = decode_range(first, count); });
  return samples;
}

// The nonzeros of a block of rows.
struct Nonzeros {
  std::vector<Index> counts;  // one per row
  std::vector<Index> atoms;
  std::vector<double> values;
};

Nonzeros nonzeros_of(const RowMatrix<double>& codes) {
  Nonzeros found;
  for (Index j = 0; j < codes.rows(); ++j) {
    const auto before = found.values.size();
    for (Index i = 0; i < codes.cols(); ++i) {
      if (codes(j, i) == 0) continue;
      found.atoms.push_back(i);
      found.values.push_back(codes(j, i));
    }
    found.counts.push_back(static_cast<Index>(found.values.size() - before));
  }
  return found;
}

SparseCodes assemble(const std::vector<Nonzeros>& blocks, Index rows, Index columns) {
  std::size_t total = 0;
  for (const Nonzeros& block : blocks) total += block.values.size();
  SparseCodes codes(rows, columns);
  codes.resizeNonZeros(static_cast<Index>(total));
  Index row = 0, end = 0;
  for (const Nonzeros& block : blocks) {
    std::copy(block.atoms.begin(), block.atoms.end(), codes.innerIndexPtr() + end);
    std::copy(block.values.begin(), block.values.end(), codes.valuePtr() + end);
    for (const Index count : block.counts) codes.outerIndexPtr()[++row] = end += count;
  }
  return codes;
}

}  // namespace

template <>
std::span<const Named<Coder>> names_of() {
  static constexpr Named<Coder> kNames[] = {
      {Coder::kAnalysis, "analysis", "the samples' products with the model's analysis, of which the largest are kept"}};
  return kNames;
}

void EncodeOptions::validate(Index atoms) const {
  if (coder != Coder::kAnalysis) {
    throw option_error("coder", fmt::format("{}", static_cast<int>(coder)), legal_names<Coder>());
  }
  if (top && (*top < 1 || *top > atoms)) {
    throw option_error("top", fmt::format("{}", *top),
                       fmt::format("an integer from 1 to {}, the atoms of the model", atoms));
  }
  if (threshold && !(*threshold >= 0 && std::isfinite(*threshold))) {
    throw option_error("threshold", fmt::format("{}", *threshold), "a finite number ≥ 0");
  }
  check_threads(threads);
}

RowMatrix<double> encode(const Model& model, const Samples& samples, Index first, Index count,
                         const EncodeOptions& options) {
  model.require_shapes("model");
  options.validate(model.atoms());
  check_request(samples, first, count, model.dimension(), "features");
  RowMatrix<double> codes = apply(model.analysis, linalg::Op::kTranspose, samples, first, count, model.mean);
  check_finite(samples.name(), first, codes);
  if (options.threshold) codes = (codes.array().abs() >= *options.threshold).select(codes, 0.0);
  if (options.top && *options.top < model.atoms()) keep_top(*options.top, &codes);
  return codes;
}

RowMatrix<double> encode(const Model& model, const Samples& samples, const EncodeOptions& options) {
  options.validate(model.atoms());
  const Index atoms[] = {samples.size(), model.atoms()};
  memory::require_memory(samples.name(), memory::array_bytes(atoms, sizeof(double)).value_or(kTooMuch));
  RowMatrix<double> codes(samples.size(), model.atoms());
  for_each_block(samples.size(), options.threads, [&](Index first, Index count) {
    codes.middleRows(first, count) = encode(model, samples, first, count, options);
  });
  return codes;
}

SparseCodes encode_sparse(const Model& model, const Samples& samples, const EncodeOptions& options) {
  options.validate(model.atoms());
  std::vector<Nonzeros> blocks(static_cast<std::size_t>((samples.size() + kBlock - 1) / kBlock));
  for_each_block(samples.size(), options.threads, [&](Index first, Index count) {
    blocks[static_cast<std::size_t>(first / kBlock)] = nonzeros_of(encode(model, samples, first, count, options));
  });
  return assemble(blocks, samples.size(), model.atoms());
}

RowMatrix<double> decode(const Model& model, const Samples& codes, Index first, Index count) {
  model.require_shapes("model");
  check_request(codes, first, count, model.atoms(), "atoms");
  RowMatrix<double> samples = apply(model.dictionary, linalg::Op::kNone, codes, first, count, {});
  check_finite(codes.name(), first, samples);
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
  check_columns(name, codes.cols(), model.atoms(), "atoms");
  return decode_blocks(model, name, codes.rows(), threads, [&](Index first, Index count) {
    RowMatrix<double> samples = codes.middleRows(first, count) * model.dictionary;
    check_finite(name, first, samples);
    samples.rowwise() += model.mean.transpose();
    return samples;
  });
}

}  // namespace orthodict
