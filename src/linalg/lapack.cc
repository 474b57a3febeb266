// SPDX-License-Identifier: Apache-2.0
#include "linalg/lapack.h"

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "linalg/buffer.h"
#include "linalg/complex.h"
#include "linalg/fortran.h"

namespace orthodict::linalg {
namespace {

template <typename Scalar, typename Gesdd, typename Gesvd>
Svd<Scalar> call_svd(Gesdd gesdd, Gesvd gesvd, const Matrix<Scalar>& input) {
  const int m = to_int(input.rows());
  const int n = to_int(input.cols());
  const int rank = std::min(m, n);
  const int ld = leading(m), ldvt = leading(rank);
  Svd<Scalar> result{Matrix<Scalar>(m, rank), Vector<Scalar>(rank), Matrix<Scalar>(rank, n)};
  if (rank == 0) return result;

  const Buffer buffer;
  Matrix<Scalar> a = input;
  std::vector<int> iwork(8 * static_cast<std::size_t>(rank));
  Scalar best_size = 0;
  int lwork = -1;
  int info = 0;
  gesdd("S", &m, &n, a.data(), &ld, result.singular_values.data(), result.u.data(), &ld, result.vt.data(), &ldvt,
        &best_size, &lwork, iwork.data(), &info);
  lwork = static_cast<int>(best_size) + 1;
  std::vector<Scalar> work(static_cast<std::size_t>(lwork));
  gesdd("S", &m, &n, a.data(), &ld, result.singular_values.data(), result.u.data(), &ld, result.vt.data(), &ldvt,
        work.data(), &lwork, iwork.data(), &info);
  if (info == 0) return result;

  // On rare matrices divide and conquer fails where plain QR iteration converges.
  a = input;
  lwork = -1;
  gesvd("S", "S", &m, &n, a.data(), &ld, result.singular_values.data(), result.u.data(), &ld, result.vt.data(), &ldvt,
        &best_size, &lwork, &info);
  lwork = static_cast<int>(best_size) + 1;
  work.resize(static_cast<std::size_t>(lwork));
  gesvd("S", "S", &m, &n, a.data(), &ld, result.singular_values.data(), result.u.data(), &ld, result.vt.data(), &ldvt,
        work.data(), &lwork, &info);
  if (info != 0) throw Error(Fault::kData, "the singular value decomposition did not converge");
  return result;
}

template <typename Scalar, typename Potrf, typename Trtri>
bool call_factor(Potrf potrf, Trtri trtri, Scalar* s, Index n, Index lds, Scalar* inverse, Index ld_inverse) {
  const int size = to_int(n), ld = leading(lds), ldi = leading(ld_inverse);
  int info = 0;
  const Buffer buffer;
  potrf("L", &size, s, &ld, &info);
  if (info != 0) return false;
  using Part = Eigen::Map<Matrix<Scalar>, 0, Eigen::OuterStride<>>;
  Part to(inverse, n, n, Eigen::OuterStride<>(ld_inverse));
  to = Part(s, n, n, Eigen::OuterStride<>(lds)).template triangularView<Eigen::Lower>();
  trtri("L", "N", &size, inverse, &ldi, &info);
  return info == 0;
}

}  // namespace

Svd<float> svd(const Matrix<float>& m) { return call_svd(sgesdd_, sgesvd_, m); }
Svd<double> svd(const Matrix<double>& m) { return call_svd(dgesdd_, dgesvd_, m); }

bool factor_and_invert(float* s, Index n, Index lds, float* inverse, Index ld_inverse) {
  return call_factor(spotrf_, strtri_, s, n, lds, inverse, ld_inverse);
}
bool factor_and_invert(double* s, Index n, Index lds, double* inverse, Index ld_inverse) {
  return call_factor(dpotrf_, dtrtri_, s, n, lds, inverse, ld_inverse);
}

std::optional<Matrix<double>> solve(Matrix<double> m, Matrix<double> b) {
  const int n = to_int(m.rows()), columns = to_int(b.cols()), ld = leading(n);
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0;
  const Buffer buffer;
  dgesv_(&n, &columns, m.data(), &ld, pivots.data(), b.data(), &ld, &info);
  if (info != 0) return std::nullopt;
  return b;
}

SymmetricEigen symmetric_eigen(Matrix<double> s) {
  const int n = to_int(s.rows());
  SymmetricEigen result{Vector<double>(n), {}};
  double work_size = 0;
  int iwork_size = 0;
  int lwork = -1, liwork = -1, info = 0;
  const int ld = leading(n);
  const Buffer buffer;
  dsyevd_("V", "L", &n, s.data(), &ld, result.values.data(), &work_size, &lwork, &iwork_size, &liwork, &info);
  lwork = static_cast<int>(work_size);
  liwork = iwork_size;
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<int> iwork(static_cast<std::size_t>(liwork));
  dsyevd_("V", "L", &n, s.data(), &ld, result.values.data(), work.data(), &lwork, iwork.data(), &liwork, &info);
  if (info != 0) throw Error(Fault::kData, "the eigenvalue decomposition did not converge");
  result.vectors = std::move(s);
  return result;
}

SymmetricEigen eigen(const Matrix<double>& s, bool is_complex) {
  if (!is_complex) return symmetric_eigen(s);
  using Complex = std::complex<double>;
  const Index size = s.rows() / 2;
  const int n = to_int(size), ld = leading(size);
  std::vector<Complex> vectors(static_cast<std::size_t>(size * size));
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < size; ++i)
      vectors[static_cast<std::size_t>(i + j * size)] = {s(2 * i, 2 * j), s(2 * i + 1, 2 * j)};
  }
  Vector<double> values(size);
  Complex work_size = 0;
  double rwork_size = 0;
  int iwork_size = 0;
  int lwork = -1, lrwork = -1, liwork = -1, info = 0;
  const Buffer buffer;
  zheevd_("V", "L", &n, vectors.data(), &ld, values.data(), &work_size, &lwork, &rwork_size, &lrwork, &iwork_size,
          &liwork, &info);
  lwork = static_cast<int>(work_size.real());
  lrwork = static_cast<int>(rwork_size);
  liwork = iwork_size;
  std::vector<Complex> work(static_cast<std::size_t>(lwork));
  std::vector<double> rwork(static_cast<std::size_t>(lrwork));
  std::vector<int> iwork(static_cast<std::size_t>(liwork));
  zheevd_("V", "L", &n, vectors.data(), &ld, values.data(), work.data(), &lwork, rwork.data(), &lrwork, iwork.data(),
          &liwork, &info);
  if (info != 0) throw Error(Fault::kData, "the eigenvalue decomposition did not converge");
  SymmetricEigen result{twice_each(values), Matrix<double>(s.rows(), s.rows())};
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < size; ++i) {
      const Complex entry = vectors[static_cast<std::size_t>(i + j * size)];
      result.vectors.block<2, 2>(2 * i, 2 * j) << entry.real(), -entry.imag(), entry.imag(), entry.real();
    }
  }
  return result;
}

Qr qr(Matrix<double> m) {
  const int rows = to_int(m.rows()), columns = to_int(m.cols()), ld = leading(m.rows());
  Vector<double> tau(m.cols());
  double sizes[2] = {0, 0};
  int lwork = -1, info = 0;
  const Buffer buffer;
  dgeqrf_(&rows, &columns, m.data(), &ld, tau.data(), &sizes[0], &lwork, &info);
  dorgqr_(&rows, &columns, &columns, m.data(), &ld, tau.data(), &sizes[1], &lwork, &info);
  lwork = static_cast<int>(std::max(sizes[0], sizes[1]));
  std::vector<double> work(static_cast<std::size_t>(std::max(lwork, 1)));
  dgeqrf_(&rows, &columns, m.data(), &ld, tau.data(), work.data(), &lwork, &info);
  Matrix<double> r = m.topRows(m.cols()).triangularView<Eigen::Upper>();
  dorgqr_(&rows, &columns, &columns, m.data(), &ld, tau.data(), work.data(), &lwork, &info);
  return {std::move(m), std::move(r)};
}

}  // namespace orthodict::linalg
