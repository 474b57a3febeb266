// SPDX-License-Identifier: Apache-2.0
#include "coding/products.h"

#include "linalg/blas.h"

namespace orthodict::coding {

template <typename Scalar>
Products<Scalar>::Products(const Matrix<Scalar>& dictionary)
    : dictionary_(dictionary), gram_(padded<Scalar>(dictionary.cols()), dictionary.cols()) {
  correlate(dictionary.data(), dictionary.cols(), gram_.data());
}

template <typename Scalar>
void Products<Scalar>::correlate(const Scalar* samples, Index count, Scalar* correlations) const {
  const Index n = dictionary_.rows();
  Eigen::Map<Matrix<Scalar>>(correlations, stride(), count).bottomRows(stride() - atoms()).setZero();
  linalg::gemm(linalg::Op::kTranspose, linalg::Op::kNone, atoms(), count, n, Scalar(1), dictionary_.data(), n, samples,
               n, Scalar(0), correlations, stride());
}

template class Products<float>;
template class Products<double>;

}  // namespace orthodict::coding
