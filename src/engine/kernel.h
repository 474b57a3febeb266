// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/pass_result.h"
#include "orthodict/samples.h"
#include "orthodict/stretch.h"

namespace orthodict::engine {

// Takes blocks of samples through match, stretch and accumulate while they sit in cache. Made once per pass from the
// matcher B and its offset; a Workspace is what one thread needs for it.
template <typename Scalar>
class Kernel {
 public:
  class Workspace {
   public:
    Workspace() = default;
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    virtual ~Workspace() = default;
    // Adds the share of `count` ≤ block() samples to the result. Those that come next may be fetched ahead if they
    // follow in memory, which `contiguous` tells.
    virtual void run(const Block<Scalar>& y, Index count, bool contiguous, PassResult& result) = 0;
    // To be called after the last block that goes into `result`.
    virtual void flush(PassResult& result) = 0;
  };

  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  [[nodiscard]] virtual Index block() const = 0;  // samples that go through at once
  [[nodiscard]] virtual Index rows() const = 0;   // of a result: the atoms, and rows of padding after them
  [[nodiscard]] virtual std::unique_ptr<Workspace> make_workspace() const = 0;
};

// Our own tiles, with the matcher packed into panels: the codes of a panel are gone before those of the next exist, so
// there is no regression. The stretch must outlive the kernel.
template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_fused_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                                  const Vector<double>& offset, PassOutput output);

// BLAS for both products.
template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_gemm_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                                 const Vector<double>& offset, PassOutput output);

// The faster of the two (bench/pass.cc measures both): ours as long as the matcher stays in caches that are quick to
// reach, BLAS with its blocking for deeper ones beyond that.
template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                            const Vector<double>& offset, PassOutput output) {
  constexpr Index kLargestFused = Index{800} * 800;
  const bool fused = output != PassOutput::kRegression && matcher.size() <= kLargestFused;
  return fused ? make_fused_kernel<Scalar>(stretch, matcher, offset, output)
               : make_gemm_kernel<Scalar>(stretch, matcher, offset, output);
}

}  // namespace orthodict::engine
