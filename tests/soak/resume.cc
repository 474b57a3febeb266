// SPDX-License-Identifier: Apache-2.0
#include "resume.h"

#include <algorithm>
#include <fstream>
#include <optional>

#include "check.h"
#include "source.h"

namespace orthodict::soak {
namespace {

namespace fs = std::filesystem;

// Ways to end a run early: all, or only the deterministic ones.
void run_until_interrupted(Plan* plan, const Samples& samples, Options options, bool same_place) {
  Draw& draw = plan->details;
  std::stop_source stop;
  std::int64_t at = -1;
  const auto iteration = static_cast<int>(draw.integer(0, 20));
  switch (draw.integer(0, same_place ? 1 : 3)) {
    case 0:
      options.callback = [iteration](const Iterate& iterate) { return iterate.record().iteration >= iteration; };
      break;
    case 1:
      options.max_iterations = std::min(iteration, options.max_iterations.value_or(iteration));
      break;
    case 2:
      options.stop = stop.get_token();
      at = draw.integer(0, 300);
      break;
    default:
      options.time_limit = draw.size(1e-5, 3e-2);
  }
  try {
    (void)fit(Watched(samples, at, [&] { stop.request_stop(); }), options);
  } catch (const Error& error) {
    if (error.fault() != Fault::kStopped) throw;  // before there was anything to save
  }
}

// The uninterrupted fit, and a checkpoint from the middle of it, if it writes any.
FitResult fit_and_leave_checkpoint(Plan* plan, const Samples& samples, const std::string& path, bool same_place) {
  FitResult whole = fit(samples, plan->options);
  Options options = plan->options;
  options.checkpoint = path;
  // Checkpoints at every iteration take long if there are many.
  options.checkpoint_every = plan->details.chance(0.5) ? 1e9 : same_place ? 0 : 0.05;
  run_until_interrupted(plan, samples, options, same_place);
  return whole;
}

void require_same(const FitResult& result, const FitResult& whole) {
  if (hash_of(result.model) != hash_of(whole.model)) throw Mismatch("resumed, it ended in another model");
}

void damage(const fs::path& file, Draw* draw) {
  const auto size = static_cast<Index>(fs::file_size(file));
  const Index at = draw->integer(0, size - 1);
  if (draw->chance(0.4)) {
    fs::resize_file(file, static_cast<std::uintmax_t>(at));
    return;
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(at);
  const int was = bytes.get();
  bytes.seekp(at);
  bytes.put(static_cast<char>(was ^ (1 << draw->integer(0, 7))));
}

}  // namespace

FitResult interrupt_and_resume(Plan* plan, const Samples& samples, const fs::path& folder) {
  const std::string path = (folder / "run.npz").string();
  FitResult whole = fit_and_leave_checkpoint(plan, samples, path, /*same_place=*/false);
  if (!fs::exists(path)) return whole;
  Options options = plan->options;
  options.resume = path;
  options.threads = 1 + *options.threads % 3;
  require_same(fit(samples, options), whole);
  return whole;
}

FitResult resume_wrongly(Plan* plan, const Samples& samples, const fs::path& folder) {
  const std::string path = (folder / "run.npz").string();
  FitResult whole = fit_and_leave_checkpoint(plan, samples, path, /*same_place=*/true);
  if (!fs::exists(path)) return whole;
  Options options = plan->options;
  options.resume = path;
  plan->expected = {.data = {"run.npz"}};
  if (plan->trouble == Trouble::kResumeOther) {
    plan->expected.summary = false;
    if (plan->details.chance(0.5)) {
      const Matrix<double> others = 2 * values_of(samples);
      return fit(*samples_in_columns(others), options);
    }
    options.seed += 1;
    return fit(samples, options);
  }
  damage(path, &plan->details);
  require_same(fit(samples, options), whole);
  return whole;
}

}  // namespace orthodict::soak
