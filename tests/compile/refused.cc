// SPDX-License-Identifier: Apache-2.0
// One line for each CASE, which the compiler refuses with a message of ours.
#include <orthodict/orthodict.h>

#include <Eigen/SparseCore>

void refused(const Eigen::MatrixXd& x, const Eigen::SparseMatrix<double>& sparse,
             const Eigen::Matrix<long double, 3, 3>& extended) {
#if CASE == 1
  (void)orthodict::samples_in_rows(x + x);
#elif CASE == 2
  (void)orthodict::samples_in_rows(sparse);
#elif CASE == 3
  (void)orthodict::samples_in_columns(Eigen::MatrixXd(x));
#elif CASE == 4
  (void)orthodict::samples_in_rows(Eigen::Ref<const Eigen::MatrixXd>(x));
#elif CASE == 5
  (void)orthodict::fit(extended);
#else
  (void)orthodict::fit(x.topRows(2));
#endif
  (void)x, (void)sparse, (void)extended;
}
