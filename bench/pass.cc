// SPDX-License-Identifier: Apache-2.0
// Benchmarks of the pass: compared with the best speed of the same BLAS on square matrices, the two kernels compared
// with each other, scaling with samples and threads, and the cost of each stretch.
#include "engine/pass.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <complex>
#include <type_traits>

#include "data.h"
#include "engine/kernel.h"
#include "linalg/blas.h"
#include "linalg/buffer.h"
#include "linalg/complex.h"

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void cgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const std::complex<float>* alpha, const std::complex<float>* a, const int* lda,
            const std::complex<float>* b, const int* ldb, const std::complex<float>* beta, std::complex<float>* c,
            const int* ldc);
void zgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const std::complex<double>* alpha, const std::complex<double>* a, const int* lda,
            const std::complex<double>* b, const int* ldb, const std::complex<double>* beta, std::complex<double>* c,
            const int* ldc);
}
// NOLINTEND(readability-identifier-naming)

namespace orthodict::bench {
namespace {

using engine::Arithmetic;
using engine::PassOutput;
using engine::PassResult;

void set_rate(benchmark::State& state, double flops) {
  state.counters["flops"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

bool agrees(const Matrix<double>& got, const Matrix<double>& expected, double epsilon) {
  return (got - expected).norm() <= 100 * epsilon * expected.norm();
}

template <typename Scalar>
void square_gemm(benchmark::State& state) {
  const Index n = state.range(0);
  const Matrix<Scalar> a = uniform<Scalar>(n, n), b = uniform<Scalar>(n, n);
  Matrix<Scalar> c(n, n);
  const auto run = [&] {
    linalg::gemm(linalg::Op::kNone, linalg::Op::kNone, n, n, n, Scalar(1), a.data(), n, b.data(), n, Scalar(0),
                 c.data(), n);
    benchmark::DoNotOptimize(c.data());
  };
  run();
  const Matrix<double> column = a.template cast<double>() * b.col(n / 2).template cast<double>();
  if (!agrees(c.col(n / 2).template cast<double>(), column,
              static_cast<double>(std::numeric_limits<Scalar>::epsilon()))) {
    state.SkipWithError("wrong answer");
  }
  for (auto _ : state) run();
  set_rate(state, 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n));
}

// Σφ'(By)yᵀ, computed coefficient by coefficient.
template <typename Scalar>
Matrix<double> expected_correlation(const Stretch& stretch, const Matrix<double>& matcher, const Matrix<Scalar>& y) {
  const Matrix<double> in_double = y.template cast<double>();
  const Matrix<double> z = linalg::multiply(matcher, in_double);
  const Matrix<double> stretched = z.unaryExpr([&](double x) { return stretch.derivative(x); });
  return linalg::multiply(stretched, linalg::Op::kNone, in_double, linalg::Op::kTranspose);
}

template <typename Scalar>
void pass(benchmark::State& state, const char* stretch_name) {
  const Index n = state.range(0), p = state.range(1);
  const auto threads = static_cast<int>(state.range(2));
  const double epsilon = static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  const Matrix<Scalar> y = uniform<Scalar>(n, p);
  const Matrix<double> matcher = rotation(n, 1).cast<Scalar>().template cast<double>();
  const Vector<double> offset = Vector<double>::Zero(n);
  const auto stretch = make_stretch(stretch_name);
  engine::Workers workers(threads);
  const Matrix<Scalar> head = y.leftCols(std::min<Index>(p, 3000));
  const auto first_samples = samples_in_columns(head);
  const engine::Pass check(*first_samples, *stretch, kArithmetic<Scalar>, workers, {});
  const Matrix<double> got = check.run(matcher, offset, PassOutput::kCorrelation)->correlation;
  if (!agrees(got, expected_correlation(*stretch, matcher, head), epsilon)) state.SkipWithError("wrong answer");

  const auto samples = samples_in_columns(y);
  const engine::Pass timed(*samples, *stretch, kArithmetic<Scalar>, workers, {});
  for (auto _ : state) benchmark::DoNotOptimize(timed.run(matcher, offset, PassOutput::kCorrelation));
  set_rate(state, 4.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(p));
}

// One thread's work on 8192 samples, by the fused kernel (fused = 1) or by BLAS.
template <typename Scalar>
void kernel(benchmark::State& state) {
  const Index n = state.range(0), p = 8192;
  const bool fused = state.range(1) != 0;
  const Matrix<Scalar> y = uniform<Scalar>(n, p);
  const Matrix<double> matcher = rotation(n, 1).cast<Scalar>().template cast<double>();
  const Vector<double> offset = Vector<double>::Zero(n);
  const auto stretch = make_stretch("l4");
  const auto made = fused ? engine::make_fused_kernel<Scalar>(*stretch, matcher, offset, PassOutput::kCorrelation)
                          : engine::make_gemm_kernel<Scalar>(*stretch, matcher, offset, PassOutput::kCorrelation);
  const auto workspace = made->make_workspace();
  PassResult result(n, made->rows(), n, PassOutput::kCorrelation);
  const auto run = [&] {
    result.clear();
    for (Index first = 0; first < p; first += made->block()) {
      workspace->run({y.data() + first * n, n}, made->block(), true, result);
    }
    workspace->flush(result);
  };
  run();
  if (!agrees(result.correlation.topRows(n), expected_correlation(*stretch, matcher, y),
              static_cast<double>(std::numeric_limits<Scalar>::epsilon()))) {
    state.SkipWithError("wrong answer");
  }
  for (auto _ : state) run();
  set_rate(state, 4.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(p));
}

// A pass over complex samples, and the complex products of BLAS that it is measured by.
template <typename Scalar>
void complex_gemm(benchmark::State& state) {
  using Complex = std::complex<Scalar>;
  const auto n = static_cast<int>(state.range(0));
  const Matrix<Scalar> parts = uniform<Scalar>(2 * n, 3 * n);
  const Matrix<Complex> a = Eigen::Map<const Matrix<Complex>>(reinterpret_cast<const Complex*>(parts.data()), n, n);
  const Matrix<Complex> b =
      Eigen::Map<const Matrix<Complex>>(reinterpret_cast<const Complex*>(parts.data()) + n * n, n, n);
  Matrix<Complex> c(n, n);
  const Complex one = 1, zero = 0;
  const linalg::Buffer buffer;
  const auto run = [&] {
    if constexpr (std::is_same_v<Scalar, double>) {
      zgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
    } else {
      cgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
    }
    benchmark::DoNotOptimize(c.data());
  };
  run();
  const Vector<Complex> column = a * b.col(n / 2);
  if ((c.col(n / 2) - column).norm() > 1e-4F * column.norm()) state.SkipWithError("wrong answer");
  for (auto _ : state) run();
  set_rate(state, 8.0 * std::pow(static_cast<double>(n), 3));
}

template <typename Scalar>
void complex_pass(benchmark::State& state, const char* stretch_name) {
  using Complex = std::complex<double>;
  const Index n = state.range(0), p = state.range(1);
  const Matrix<Scalar> y = uniform<Scalar>(2 * n, p);
  const Matrix<double> matcher = linalg::nearest_real_form(rotation(2 * n, 1)).cast<Scalar>().template cast<double>();
  const Vector<double> offset = Vector<double>::Zero(2 * n);
  const auto stretch = make_stretch(stretch_name);
  engine::Workers workers(static_cast<int>(state.range(2)));
  constexpr ElementType kType = std::is_same_v<Scalar, double> ? ElementType::kC128 : ElementType::kC64;
  const Index count = std::min<Index>(p, 1000);
  const auto samples = view_samples(kType, y.data(), n, p, n, 1);
  const auto first = view_samples(kType, y.data(), n, count, n, 1);
  const Matrix<double> got = engine::Pass(*first, *stretch, kArithmetic<Scalar>, workers, {})
                                 .run(matcher, offset, PassOutput::kCorrelation)
                                 ->correlation;
  const Matrix<double> head = y.leftCols(count).template cast<double>();
  Matrix<double> z = linalg::multiply(matcher, head);
  for (Index i = 0; i < z.size(); i += 2) {
    const Complex coefficient(z.data()[i], z.data()[i + 1]);
    const double size = std::abs(coefficient), ratio = stretch->derivative(size) / size;
    z.data()[i] *= ratio;
    z.data()[i + 1] *= ratio;
  }
  const Matrix<double> expected =
      linalg::complex_products(linalg::multiply(z, linalg::Op::kNone, head, linalg::Op::kTranspose));
  if (!agrees(got, expected, static_cast<double>(std::numeric_limits<Scalar>::epsilon()))) {
    state.SkipWithError("wrong answer");
  }
  const engine::Pass timed(*samples, *stretch, kArithmetic<Scalar>, workers, {});
  for (auto _ : state) benchmark::DoNotOptimize(timed.run(matcher, offset, PassOutput::kCorrelation));
  set_rate(state, 16.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(p));
}

constexpr std::array<Index, 9> kDimensions = {16, 25, 50, 64, 100, 200, 400, 784, 1024};

// Enough samples for a pass of about 2·10⁹ operations, and at least 20 times the dimension.
Index samples_for(Index n) { return std::max<Index>(20 * n, 500000000 / (n * n) / 1024 * 1024); }

template <typename Scalar>
void add_benchmarks(const std::string& type) {
  const auto add = [&](const std::string& name, auto function) {
    return benchmark::RegisterBenchmark((name + "/" + type).c_str(), function)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  auto* gemm = add("gemm", &square_gemm<Scalar>);
  for (const Index n : {512, 768, 1024, 1536}) gemm->Arg(n);
  auto* passes = add("pass", [](benchmark::State& s) { pass<Scalar>(s, "l4"); });
  for (const Index n : kDimensions) {
    for (const int threads : {1, 2}) passes->Args({n, samples_for(n), threads});
  }
  auto* complex_gemms = add("complex_gemm", &complex_gemm<Scalar>);
  for (const Index n : {256, 512, 768, 1024}) complex_gemms->Arg(n);
  auto* complex_passes = add("complex_pass", [](benchmark::State& s) { complex_pass<Scalar>(s, "l4"); });
  for (const Index n : {16, 32, 50, 64, 100, 200, 400, 784}) {
    for (const int threads : {1, 2}) complex_passes->Args({n, samples_for(2 * n), threads});
  }
  auto* growth = add("growth", [](benchmark::State& s) { pass<Scalar>(s, "l4"); });
  for (const Index p : {10000, 20000, 40000, 80000, 160000}) growth->Args({100, p, 1});
  auto* kernels = add("kernel", &kernel<Scalar>);
  for (const Index n : kDimensions) {
    for (const int fused : {0, 1}) kernels->Args({n, fused});
  }
  for (const char* stretch : {"l4", "l3", "power:6", "power:3.5", "soft", "hard", "logcosh"}) {
    add(std::string("stretch:") + stretch, [stretch](benchmark::State& s) {
      pass<Scalar>(s, stretch);
    })->Args({50, 20000, 1});
  }
}

const bool kAdded = [] {
  add_benchmarks<double>("f64");
  add_benchmarks<float>("f32");
  return true;
}();

}  // namespace
}  // namespace orthodict::bench
