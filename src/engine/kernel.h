// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/pass_result.h"
#include "orthodict/samples.h"
#include "orthodict/stretch.h"

namespace orthodict::engine {

// Runs blocks of samples through match, stretch and accumulate while they are in cache. A kernel is created once per
// pass from the matcher B and its offset. Each thread needs its own Workspace.
template <typename Scalar>
class Kernel {
 public:
  class Workspace {
   public:
    Workspace() = default;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    virtual ~Workspace() = default;
    // Adds the contribution of `count` ≤ block() samples to the result. `contiguous` says that the samples of the next
    // block follow in memory, so that they can be prefetched.
    virtual void run(const Block<Scalar>& y, Index count, bool contiguous, PassResult& result) = 0;
    // Must be called after the last block that goes into `result`.
    virtual void flush(PassResult& result) = 0;
  };

  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  [[nodiscard]] virtual Index block() const = 0;  // samples per call of run()
  [[nodiscard]] virtual Index rows() const = 0;   // rows of a result: one per atom, then padding
  [[nodiscard]] virtual std::unique_ptr<Workspace> make_workspace() const = 0;
};

// Stretches a block of codes, and adds the sums of φ to the columns of `sums` from `row` on. Complex codes have their
// real and imaginary parts in neighbouring rows.
template <typename Scalar>
void stretch_block(const Stretch& stretch, bool is_complex, Scalar* codes, Index rows, Index count, Index row,
                   Matrix<Scalar>* sums) {
  const StretchSums<Scalar> to{&(*sums)(row, 0), &(*sums)(row, 1), &(*sums)(row, 2)};
  if (is_complex) {
    stretch.apply_to_complex(codes, rows, count, to);
  } else {
    stretch.apply(codes, rows, count, to);
  }
}

// Hand-written tiles (tiles.h) with the matcher packed into panels. Regression isn't supported, because the codes of a
// panel are overwritten by those of the next. The stretch must outlive the kernel. With `is_complex` the matcher is
// that of complex codes, in real form (linalg/complex.h).
template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_fused_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                                  const Vector<double>& offset, PassOutput output,
                                                  bool is_complex = false);

// Uses BLAS for both products.
template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_gemm_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                                 const Vector<double>& offset, PassOutput output,
                                                 bool is_complex = false);

// Scalars in a vector of the fused kernel.
template <typename Scalar>
Index lanes_of_tiles();

// The faster of the two, as measured by bench/pass.cc: the fused kernel as long as the matcher fits the faster caches,
// and BLAS with its deeper blocking beyond that.
template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                            const Vector<double>& offset, PassOutput output, bool is_complex = false) {
  constexpr Index kLargestFused = Index{800} * 800;
  // Panels are made of whole vectors, so that both parts of a complex code must fit into one.
  const bool fits = !is_complex || lanes_of_tiles<Scalar>() % 2 == 0;
  const bool fused = fits && output != PassOutput::kRegression && matcher.size() <= kLargestFused;
  return fused ? make_fused_kernel<Scalar>(stretch, matcher, offset, output, is_complex)
               : make_gemm_kernel<Scalar>(stretch, matcher, offset, output, is_complex);
}

}  // namespace orthodict::engine
