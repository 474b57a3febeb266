// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "engine/kernel.h"
#include "linalg/blas.h"

namespace orthodict::engine {
namespace {

using linalg::Op;

// Samples per block: deep enough for GEMM to run at speed.
constexpr Index kBlock = 512;
// Maximum number of samples whose correlation is summed in single precision before it is added to the double sum.
constexpr Index kSinglePrecisionRun = 2048;

template <typename Scalar>
class GemmKernel final : public Kernel<Scalar> {
 public:
  GemmKernel(const Stretch& stretch, const Matrix<double>& matcher, const Vector<double>& offset, PassOutput output,
             bool is_complex)
      : stretch_(stretch),
        output_(output),
        is_complex_(is_complex),
        matcher_(matcher.cast<Scalar>()),
        offset_(offset.cast<Scalar>()) {}

  [[nodiscard]] Index block() const override { return kBlock; }
  [[nodiscard]] Index rows() const override { return matcher_.rows(); }
  [[nodiscard]] std::unique_ptr<typename Kernel<Scalar>::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>(*this);
  }

 private:
  class Workspace final : public Kernel<Scalar>::Workspace {
   public:
    explicit Workspace(const GemmKernel& kernel)
        : kernel_(kernel), codes_(kernel.rows(), kBlock), sums_(kernel.rows(), 3) {}

    void run(const Block<Scalar>& y, Index count, bool, PassResult& result) override {
      const Index k = kernel_.matcher_.rows();
      const Index n = kernel_.matcher_.cols();
      linalg::gemm(Op::kNone, Op::kNone, k, count, n, Scalar(1), kernel_.matcher_.data(), k, y.data, y.stride,
                   Scalar(0), codes_.data(), k);
      codes_.leftCols(count).colwise() -= kernel_.offset_;
      sums_.setZero();
      stretch_block(kernel_.stretch_, kernel_.is_complex_, codes_.data(), k, count, 0, &sums_);
      result.add_sums(sums_);
      if (kernel_.output_ != PassOutput::kObjective) accumulate(y, count, result);
      if (kernel_.output_ == PassOutput::kRegression) add_gram(count, result);
    }

    void flush(PassResult& result) override {
      if (pending_ == 0) return;
      result.correlation += correlation_.template cast<double>();
      pending_ = 0;
    }

   private:
    void accumulate(const Block<Scalar>& y, Index count, PassResult& result) {
      Scalar* to = nullptr;
      Scalar beta = 1;
      if constexpr (std::is_same_v<Scalar, double>) {
        to = result.correlation.data();
      } else {
        correlation_.resize(result.correlation.rows(), result.correlation.cols());
        to = correlation_.data();
        beta = pending_ == 0 ? Scalar(0) : Scalar(1);
        pending_ += count;
      }
      const Index k = kernel_.matcher_.rows();
      linalg::gemm(Op::kNone, Op::kTranspose, k, kernel_.matcher_.cols(), count, Scalar(1), codes_.data(), k, y.data,
                   y.stride, beta, to, k);
      if (pending_ >= kSinglePrecisionRun) flush(result);
    }

    void add_gram(Index count, PassResult& result) {
      const Index k = kernel_.matcher_.rows();
      const Matrix<double>* codes = nullptr;
      if constexpr (std::is_same_v<Scalar, double>) {
        codes = &codes_;
      } else {
        codes_in_double_ = codes_.template cast<double>();
        codes = &codes_in_double_;
      }
      linalg::add_gram(k, count, codes->data(), k, result.gram.data(), k);
    }

    const GemmKernel& kernel_;
    Matrix<Scalar> codes_;
    Matrix<double> codes_in_double_;  // single precision only
    Matrix<Scalar> sums_;             // value, derivative, curvature
    Matrix<Scalar> correlation_;      // of the `pending_` samples not added to the result yet; single precision only
    Index pending_ = 0;
  };

  const Stretch& stretch_;
  PassOutput output_;
  bool is_complex_;
  Matrix<Scalar> matcher_;
  Vector<Scalar> offset_;
};

}  // namespace

template <typename Scalar>
std::unique_ptr<Kernel<Scalar>> make_gemm_kernel(const Stretch& stretch, const Matrix<double>& matcher,
                                                 const Vector<double>& offset, PassOutput output, bool is_complex) {
  return std::make_unique<GemmKernel<Scalar>>(stretch, matcher, offset, output, is_complex);
}

template std::unique_ptr<Kernel<float>> make_gemm_kernel(const Stretch&, const Matrix<double>&, const Vector<double>&,
                                                         PassOutput, bool);
template std::unique_ptr<Kernel<double>> make_gemm_kernel(const Stretch&, const Matrix<double>&, const Vector<double>&,
                                                          PassOutput, bool);

}  // namespace orthodict::engine
