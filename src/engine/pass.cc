// SPDX-License-Identifier: Apache-2.0
#include "engine/pass.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/kernel.h"
#include "engine/lanes.h"

namespace orthodict::engine {
namespace {

// State that a thread keeps from lane to lane.
template <typename Scalar>
struct ThreadState {
  std::unique_ptr<typename Kernel<Scalar>::Workspace> workspace;
  Vector<Scalar> scratch;
};

}  // namespace

Pass::Pass(const Samples& samples, const Stretch& stretch, Arithmetic arithmetic, Workers& workers,
           std::stop_token stop)
    : samples_(samples), stretch_(stretch), arithmetic_(arithmetic), workers_(workers), stop_(std::move(stop)) {}

std::optional<PassResult> Pass::run(const Matrix<double>& matcher, const Vector<double>& offset,
                                    PassOutput output) const {
  return arithmetic_ == Arithmetic::kF32 ? run_in<float>(matcher, offset, output)
                                         : run_in<double>(matcher, offset, output);
}

template <typename Scalar>
std::optional<PassResult> Pass::run_in(const Matrix<double>& matcher, const Vector<double>& offset,
                                       PassOutput output) const {
  const Index n = matcher.cols();
  const auto kernel = make_kernel<Scalar>(stretch_, matcher, offset, output, samples_.is_complex());
  const LanePlan plan(samples_.size(), n);
  std::vector<ThreadState<Scalar>> threads(static_cast<std::size_t>(workers_.count()));

  const auto make = [&] { return PassResult(matcher.rows(), kernel->rows(), n, output); };
  const auto work = [&](int thread, Index lane, PassResult& result) {
    ThreadState<Scalar>& state = threads[static_cast<std::size_t>(thread)];
    if (!state.workspace) state = {kernel->make_workspace(), Vector<Scalar>(n * kernel->block())};
    const Index end = plan.begin(lane + 1);
    for (Index first = plan.begin(lane); first < end; first += kernel->block()) {
      if (stop_.stop_requested()) return false;
      const Index count = std::min(kernel->block(), end - first);
      const Block<Scalar> y = samples_.block(first, count, state.scratch.data());
      const bool contiguous = y.data != state.scratch.data() && y.stride == n;
      state.workspace->run(y, count, contiguous, result);
    }
    state.workspace->flush(result);
    return true;
  };
  const double flops = 4.0 * static_cast<double>(matcher.size()) * static_cast<double>(samples_.size());
  auto result = sum_lanes<PassResult>(plan, workers_, flops, stop_, make, work);
  if (result && kernel->rows() > matcher.rows()) result->drop_padding();
  if (result && samples_.is_complex()) result->take_complex_products();
  return result;
}

}  // namespace orthodict::engine
