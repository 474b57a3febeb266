// SPDX-License-Identifier: Apache-2.0
// The polar factor compared with LAPACK's divide-and-conquer singular value decomposition, with one thread each.
#include "linalg/polar.h"

#include <benchmark/benchmark.h>

#include "data.h"

namespace orthodict::bench {
namespace {

template <typename Scalar>
void polar(benchmark::State& state) {
  const Index n = state.range(0);
  const auto condition = static_cast<double>(state.range(1));
  const bool by_svd = state.range(2) != 0;
  const Matrix<Scalar> m = with_condition(n, condition).cast<Scalar>();
  const auto run = [&] { return by_svd ? linalg::polar_by_svd(m) : linalg::polar(m); };
  const Matrix<double> q = run().template cast<double>();
  const double tolerance = 10 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  const bool orthogonal =
      (linalg::multiply(q, linalg::Op::kNone, q, linalg::Op::kTranspose) - Matrix<double>::Identity(n, n)).norm() <=
      tolerance;
  const bool nearest = (q - linalg::multiply(rotation(n, 1), rotation(n, 2))).norm() <= tolerance * condition;
  if (!orthogonal || !nearest) state.SkipWithError("wrong answer");
  for (auto _ : state) benchmark::DoNotOptimize(run());
}

template <typename Scalar>
void add_benchmarks(const std::string& type) {
  auto* added = benchmark::RegisterBenchmark(("polar/" + type).c_str(), &polar<Scalar>)
                    ->Unit(benchmark::kMillisecond)
                    ->UseRealTime();
  for (const Index n : {16, 25, 50, 64, 100, 200, 400, 784, 1024}) {
    for (const Index condition : {3, 100000}) {
      for (const Index by_svd : {0, 1}) added->Args({n, condition, by_svd});
    }
  }
}

const bool kAdded = [] {
  add_benchmarks<double>("f64");
  add_benchmarks<float>("f32");
  return true;
}();

}  // namespace
}  // namespace orthodict::bench
