// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a fit, ends it by a rule of the program's own, and stops one that runs in another thread.
#include <orthodict/orthodict.h>

#include <atomic>
#include <iomanip>
#include <iostream>
#include <thread>

int main() {
  const orthodict::Synthetic data({.dimension = 50, .samples = 20000, .theta = 0.3, .seed = 1});
  const auto x = data.samples();

  // A callback sees each iteration. Returning true ends the run; the model is that of the last iteration.
  orthodict::Options options{.stretch = "l4", .seed = 7};
  options.callback = [](const orthodict::Iterate& iterate) {
    const orthodict::IterationRecord& record = iterate.record();
    std::cout << "iteration " << record.iteration << ": objective " << std::scientific << std::setprecision(2)
              << record.objective << "\n";
    return record.iteration == 5;
  };
  const auto first = orthodict::fit(x, options);
  std::cout << first.summary.termination << " after " << first.summary.iterations << " iterations\n";

  // Another thread, such as that of a user interface, watches a run and stops it. The token is polled between blocks of
  // samples, so that a run also stops within a long pass.
  std::atomic<int> iterations = 0;
  orthodict::FitResult second;
  std::jthread worker([&](const std::stop_token& stop) {
    orthodict::Options watched{.stretch = "l4", .step = 1e-9, .seed = 7};  // such small steps take very long
    watched.max_iterations = 1'000'000;
    watched.tolerance = 0;
    watched.stop = stop;
    watched.callback = [&](const orthodict::Iterate& iterate) {
      iterations = iterate.record().iteration;
      iterations.notify_one();
      return false;
    };
    second = orthodict::fit(x, watched);
  });
  for (int seen = 0; seen < 3; seen = iterations) iterations.wait(seen);
  worker.request_stop();
  worker.join();
  std::cout << second.summary.termination << ", usable: " << std::boolalpha << second.summary.is_usable() << "\n";

  const auto was_stopped = [](const orthodict::FitResult& result, int least) {
    return result.summary.termination == orthodict::Termination::kStopped && result.summary.iterations >= least;
  };
  return was_stopped(first, 5) && was_stopped(second, 3) ? 0 : 1;
}
