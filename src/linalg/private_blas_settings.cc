// SPDX-License-Identifier: Apache-2.0
// Settings of the OpenBLAS that is linked into this library with hidden symbols (cmake/Blas.cmake). By default OpenBLAS
// takes them from environment variables, which belong to the host process. Here they are fixed:
//  - one thread per call and no threads of its own, because the engine calls it from several threads at once;
//  - the best kernels that the processor supports, if this OpenBLAS is too old to know the processor's model.

#include <cstdlib>
#include <string_view>

namespace {

// The value that OpenBLAS reads as OPENBLAS_CORETYPE, instead of the environment's.
const char* forced_core = nullptr;

}  // namespace

extern "C" {

// These replace the archive's openblas_env.o.
void openblas_read_env() {}
int openblas_verbose() { return 0; }
unsigned openblas_block_factor() { return 0; }
int openblas_thread_timeout() { return 0; }
int openblas_num_threads_env() { return 1; }
int openblas_goto_num_threads_env() { return 0; }
int openblas_omp_num_threads_env() { return 0; }
int openblas_omp_adaptive_env() { return 0; }

// The linker redirects every getenv() of this library and of the archive here (--wrap=getenv). The host's settings
// apply to its own OpenBLAS, so they are hidden from ours.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
char* __real_getenv(const char* name);
char* __wrap_getenv(const char* name) {
  const std::string_view wanted = name;
  if (wanted == "OPENBLAS_CORETYPE") return const_cast<char*>(forced_core);
  if (wanted.starts_with("OPENBLAS_") || wanted.starts_with("GOTO_")) return nullptr;
  return __real_getenv(name);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void gotoblas_init();
void gotoblas_dynamic_init();
void gotoblas_dynamic_quit();
char* gotoblas_corename();
}

#ifdef __x86_64__
namespace {

// The newest OpenBLAS core that this processor can run, if OpenBLAS knows only that it has SSE3; otherwise null.
const char* better_core() {
  if (std::string_view(gotoblas_corename()) != "Prescott") return nullptr;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd")) {
    return "SkylakeX";
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
  return nullptr;
}

// Runs when the library is loaded, before anything can call BLAS.
__attribute__((constructor)) void choose_core() {
  gotoblas_init();
  forced_core = better_core();
  if (forced_core == nullptr) return;
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
}

}  // namespace
#endif
