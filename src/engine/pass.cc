// SPDX-License-Identifier: Apache-2.0
#include "engine/pass.h"

#include <utility>
#include <vector>

#include "linalg/blas.h"

namespace orthodict::engine {
namespace {

// Samples per block: large enough for GEMM to run at speed, small enough for Y's block and Z's to stay in a core's
// cache together.
constexpr Index kBlock = 256;

// What one thread needs to take blocks through match, stretch and accumulate.
template <typename Scalar>
class BlockRunner {
 public:
  BlockRunner(const Samples& samples, const Stretch& stretch, const Matrix<Scalar>& matcher,
              const Vector<Scalar>& offset)
      : samples_(samples),
        stretch_(stretch),
        matcher_(matcher),
        offset_(offset),
        scratch_(samples.dimension() * kBlock),
        codes_(matcher.rows(), kBlock),
        sums_(matcher.rows(), 3) {}

  void run(Index first, Index count, Want want, PassResult<Scalar>& result) {
    using linalg::Op;
    const Index k = matcher_.rows();
    const Index n = matcher_.cols();
    const Block<Scalar> y = samples_.block(first, count, scratch_.data());
    linalg::gemm(Op::kNone, Op::kNone, k, count, n, Scalar(1), matcher_.data(), k, y.data, y.stride, Scalar(0),
                 codes_.data(), k);
    codes_.leftCols(count).colwise() -= offset_;
    sums_.setZero();
    stretch_.apply(codes_.data(), k, count, {sums_.col(0).data(), sums_.col(1).data(), sums_.col(2).data()});
    result.objective += sums_.col(0).template cast<double>().sum();
    result.derivative_sums += sums_.col(1).template cast<double>();
    result.curvature_sums += sums_.col(2).template cast<double>();
    if (want == Want::kObjective) return;
    linalg::gemm(Op::kNone, Op::kTranspose, k, n, count, Scalar(1), codes_.data(), k, y.data, y.stride, Scalar(1),
                 result.correlation.data(), k);
  }

 private:
  const Samples& samples_;
  const Stretch& stretch_;
  const Matrix<Scalar>& matcher_;
  const Vector<Scalar>& offset_;
  Vector<Scalar> scratch_;
  Matrix<Scalar> codes_;
  Matrix<Scalar> sums_;  // value, derivative, curvature
};

template <typename Scalar>
PassResult<Scalar> zero_result(Index atoms, Index dimension, Want want) {
  const Index rows = want == Want::kCorrelation ? atoms : 0;
  return {Matrix<Scalar>::Zero(rows, dimension), Vector<double>::Zero(atoms), Vector<double>::Zero(atoms), 0};
}

}  // namespace

template <typename Scalar>
void PassResult<Scalar>::add(const PassResult& other) {
  correlation += other.correlation;
  derivative_sums += other.derivative_sums;
  curvature_sums += other.curvature_sums;
  objective += other.objective;
}

template <typename Scalar>
Pass<Scalar>::Pass(const Samples& samples, const Stretch& stretch, Workers& workers, std::stop_token stop)
    : samples_(samples), stretch_(stretch), workers_(workers), stop_(std::move(stop)), plan_(samples.size(), kBlock) {}

template <typename Scalar>
std::optional<PassResult<Scalar>> Pass<Scalar>::run(const Matrix<Scalar>& matcher, const Vector<Scalar>& offset,
                                                    Want want) const {
  const auto make = [&] { return zero_result<Scalar>(matcher.rows(), matcher.cols(), want); };
  const auto work = [&](Index lane, PassResult<Scalar>& result) {
    BlockRunner<Scalar> runner(samples_, stretch_, matcher, offset);
    const Index end = plan_.begin(lane + 1);
    for (Index first = plan_.begin(lane); first < end; first += plan_.block) {
      if (stop_.stop_requested()) return false;
      runner.run(first, std::min(plan_.block, end - first), want, result);
    }
    return true;
  };
  return sum_lanes<PassResult<Scalar>>(plan_.lanes, workers_, stop_, make, work);
}

template struct PassResult<float>;
template struct PassResult<double>;
template class Pass<float>;
template class Pass<double>;

}  // namespace orthodict::engine
