// SPDX-License-Identifier: Apache-2.0
// The number of threads of the system's BLAS.
#include <gtest/gtest.h>

#include <thread>

#include "linalg/buffer.h"

extern "C" {
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int threads);
}

namespace orthodict::linalg {
namespace {

TEST(SystemBlas, HasOneThreadWhileItIsCalledAndItsUsualNumberAfter) {
  if (openblas_set_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  openblas_set_num_threads(2);
  {
    const Buffer outer;
    EXPECT_EQ(openblas_get_num_threads(), 1);
    std::thread([] { const Buffer of_another_thread; }).join();
    { const Buffer inner; }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

}  // namespace
}  // namespace orthodict::linalg
