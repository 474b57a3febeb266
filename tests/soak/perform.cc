// SPDX-License-Identifier: Apache-2.0
#include "perform.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "check.h"
#include "resume.h"
#include "source.h"

namespace orthodict::soak {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) { fs::create_directories(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

 private:
  fs::path path_;
};

// Removes the folder from messages, because it differs each time.
std::string without(std::string text, const std::string& folder) {
  for (std::size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

// A checkpoint that can't be written doesn't change the model; the summary reports it.
FitResult fit_without_checkpoint(const Plan& plan, const Samples& samples, const fs::path& folder) {
  Options options = plan.options;
  options.checkpoint = plan.trouble == Trouble::kCheckpointFull ? "/dev/full" : (folder / "gone" / "run.npz").string();
  options.checkpoint_every = 0;
  FitResult result = fit(samples, options);
  if (result.summary.checkpoint_error.empty()) throw Mismatch("no word of the checkpoint that wasn't written");
  if (hash_of(result.model) != hash_of(fit(samples, plan.options).model)) throw Mismatch("another model without it");
  return result;
}

FitResult fit_throwing_samples(Plan* plan, const Samples& samples) {
  const bool error = plan->details.chance(0.5);
  const auto then = [error] { error ? throw Error(Fault::kData, kOwnMessage) : throw Own(); };
  return fit(Watched(samples, plan->details.integer(0, 300), then), plan->options);
}

FitResult fit_as_planned(Plan* plan, const Samples& samples, const fs::path& folder) {
  switch (plan->trouble) {
    case Trouble::kSamplesThrow:
      return fit_throwing_samples(plan, samples);
    case Trouble::kCheckpointFull:
    case Trouble::kCheckpointNowhere:
      return fit_without_checkpoint(*plan, samples, folder);
    case Trouble::kInterrupted:
      return interrupt_and_resume(plan, samples, folder);
    case Trouble::kResumeDamaged:
    case Trouble::kResumeOther:
      return resume_wrongly(plan, samples, folder);
    default:
      return fit(samples, plan->options);
  }
}

// One in ten models goes through a file.
std::string check_file(const FitResult& result, const fs::path& folder) {
  const std::string path = (folder / "model.npz").string();
  save_model(path, result.model);
  return hash_of(load_model(path)) == hash_of(result.model) ? "" : "another model was read than was written";
}

// One in five is also fitted as a stream. A section may contain nothing to learn from.
std::string check_stream(const Samples& samples, Plan* plan) {
  if (plan->trouble != Trouble::kNone) return "";
  const Index size = plan->details.integer(std::max<Index>(samples.size() / 8, 1), samples.size());
  Index at = 0;
  const Sections sections = [&](const std::stop_token&) -> std::unique_ptr<Samples> {
    const Index count = std::min(size, samples.size() - at);
    if (count == 0) return nullptr;
    at += count;
    return std::make_unique<Section>(samples, at - count, count);
  };
  try {
    const FitResult result = fit_stream(sections, plan->options);
    result.model.validate("model of a stream");
    if (!result.model.dictionary.allFinite()) return "a stream gave atoms that aren't finite";
    if (result.summary.samples != samples.size()) return "samples of a stream were lost";
  } catch (const Error& error) {
    if (error.fault() == Fault::kStopped) return "a stream was stopped by nobody";
  }
  return "";
}

Outcome judge(const FitResult& result, const Samples& samples, Plan* plan, const fs::path& folder) {
  Outcome outcome{.kind = std::string(orthodict::name_of(result.summary.termination)), .hash = hash_of(result.model)};
  if (!plan->expected.summary) outcome.failure = "should have been an error: " + result.summary.message;
  if (outcome.failure.empty()) outcome.failure = inconsistency(result, samples, plan->options);
  if (outcome.failure.empty() && plan->details.chance(0.1)) outcome.failure = check_file(result, folder);
  if (outcome.failure.empty() && plan->details.chance(0.2)) outcome.failure = check_stream(samples, plan);
  return outcome;
}

Outcome judge(const Error& error, const Expectation& expected, const fs::path& folder) {
  Outcome outcome{.message = without(error.what(), folder.string())};
  const std::string& message = outcome.message;
  outcome.hash = hash_of(message);
  bool foreseen = false;
  switch (error.fault()) {
    case Fault::kStopped:
      outcome.kind = "interrupted";
      foreseen = expected.stopped;
      break;
    case Fault::kOption:
      outcome.kind = "option";
      foreseen = std::any_of(expected.option.begin(), expected.option.end(),
                             [&](const std::string& start) { return message.starts_with(start); });
      break;
    case Fault::kData:
      outcome.kind = "data";
      foreseen = std::any_of(expected.data.begin(), expected.data.end(),
                             [&](const std::string& part) { return message.find(part) != std::string::npos; });
      break;
  }
  if (!foreseen || message.empty()) outcome.failure = fmt::format("unforeseen {} error: {}", outcome.kind, message);
  return outcome;
}

Outcome attempt(Plan* plan, const fs::path& folder) {
  Outcome outcome;
  try {
    const Source source = make_source(plan, folder);
    const FitResult result = fit_as_planned(plan, *source.samples, folder);
    return judge(result, *source.samples, plan, folder);
  } catch (const Error& error) {
    outcome = judge(error, plan->expected, folder);
  } catch (const Own&) {
    outcome.kind = "own";
    if (!plan->expected.own) outcome.failure = "an exception that nobody threw";
  } catch (const Mismatch& mismatch) {
    outcome = {.kind = "wrong", .failure = mismatch.what()};
  } catch (const std::exception& error) {
    outcome = {.kind = "wrong", .failure = fmt::format("another exception: {}", error.what())};
  }
  return outcome;
}

// Files are written under a temporary name first.
bool has_leftovers(const fs::path& folder) {
  const auto is_temporary = [](const fs::directory_entry& entry) { return entry.path().extension() == ".tmp"; };
  return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(), is_temporary);
}

}  // namespace

Outcome perform(Plan plan, int threads, const fs::path& folder) {
  const Folder own(folder);
  plan.options.threads = threads;
  Outcome outcome = attempt(&plan, folder);
  if (outcome.failure.empty() && has_leftovers(folder)) outcome.failure = "a temporary file was left";
  return outcome;
}

}  // namespace orthodict::soak
