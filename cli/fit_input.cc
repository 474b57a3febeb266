// SPDX-License-Identifier: Apache-2.0
#include "fit_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "launch.h"
#include "names_in_tables.h"
#include "orthodict/error.h"

namespace orthodict::cli {
namespace {

constexpr std::string_view kRank = "{rank}";

bool has_rank(const std::string& name) { return name.find(kRank) != std::string::npos; }

std::string with_rank(std::string name, int rank) {
  for (std::size_t at = name.find(kRank); at != std::string::npos; at = name.find(kRank, at)) {
    if (!launch().is_started_by_launcher)
      throw option_error("samples", name, "a name without {rank} unless started by mpirun");
    name.replace(at, kRank.size(), fmt::format("{}", rank));
  }
  return name;
}

// Requests a stop after a number of seconds.
class Deadline {
 public:
  explicit Deadline(std::optional<double> seconds) {
    constexpr double kLongest = 1e9;  // avoids overflow of clocks, which count nanoseconds
    if (!seconds) return;
    timer_ = std::jthread(
        [this, wait = std::chrono::duration<double>(std::min(*seconds, kLongest))](const std::stop_token& in_time) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any().wait_for(lock, in_time, wait, [] { return false; });
          if (!in_time.stop_requested()) over_.request_stop();
        });
  }
  [[nodiscard]] std::stop_token token() const { return over_.get_token(); }
  [[nodiscard]] bool is_over() const { return over_.stop_requested(); }

 private:
  std::stop_source over_;
  std::jthread timer_;
};

}  // namespace

std::unique_ptr<Samples> FitInput::read(Ranks* ranks, std::optional<double> time_limit) {
  const bool is_piped = std::find(names.begin(), names.end(), "-") != names.end();
  if (ranks != nullptr && is_piped) {
    throw option_error("samples", "-", "files: standard input can't be read on several ranks");
  }
  if (section && *section < 1) throw option_error("--section", fmt::format("{}", *section), "1 or more");
  if (is_piped && names.size() == 1 && patches.given().empty()) return read_standard_input(time_limit);
  if (section) throw option_error("--section", fmt::format("{}", *section), "left out unless samples is -");
  return read_files(ranks);
}

std::vector<std::string> FitInput::paths() const {
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    for (int rank = 0; rank < (has_rank(name) ? launch().ranks : 1); ++rank) paths.push_back(with_rank(name, rank));
  }
  return paths;
}

std::unique_ptr<Samples> FitInput::read_files(Ranks* ranks) {
  const bool apart = std::any_of(names.begin(), names.end(), has_rank);
  if (apart && !std::all_of(names.begin(), names.end(), has_rank)) {
    throw option_error("samples", names.front(), "names that either all contain {rank} or do not contain it");
  }
  std::vector<std::unique_ptr<Samples>> parts;
  for (const std::string& name : names) {
    const std::string path = with_rank(name, launch().rank);
    parts.push_back(raw ? read_raw(path) : read_samples_or_patches(path, columns, patches));
  }
  auto samples = join_samples(std::move(parts));
  if (!apart || ranks == nullptr) return samples;
  own_samples_ = std::move(samples);
  return samples_of_ranks(*own_samples_, *ranks);
}

std::vector<std::string> FitInput::feature_names() const {
  if (raw || patches.patch) return {};
  std::vector<std::string> first;
  for (const std::string& name : names) {
    const std::string path = with_rank(name, launch().rank);
    std::vector<std::string> own = feature_names_at(path, columns);
    if (first.empty()) first = std::move(own);
    if (own.empty() || own == first) continue;
    throw data_error(path, fmt::format("has features of other names, or in another order, than {}", names.front()));
  }
  return first;
}

std::unique_ptr<Samples> FitInput::read_standard_input(std::optional<double> time_limit) {
  const Deadline deadline(time_limit);
  try {
    auto samples = read_or_open_stream(deadline.token());
    if (samples || stream) return samples;
  } catch (const Error&) {
    if (!deadline.is_over()) throw;  // after the deadline the error is about incomplete data
  }
  throw data_error(kStandardInput, fmt::format("not complete within the time limit of {} s", *time_limit));
}

std::unique_ptr<Samples> FitInput::read_or_open_stream(const std::stop_token& stop) {
  stream = open_stream(stop);
  if (!section) section = stream->section_size();
  const bool in_sections = !stream->size() || *section < *stream->size();
  const Index features = stream->is_complex() ? stream->dimension() / 2 : stream->dimension();
  if (in_sections && *section < features) {
    throw option_error("--section", fmt::format("{}", *section),
                       fmt::format("{} (the number of features) or more", features));
  }
  if (in_sections) return nullptr;
  auto samples = stream->read(*section, stop);
  stream.reset();
  return samples;
}

std::unique_ptr<SampleStream> FitInput::open_stream(const std::stop_token& stop) const {
  if (!raw) {
    return open_sample_stream(STDIN_FILENO, kStandardInput, columns ? Layout::kColumns : Layout::kRows, stop);
  }
  const auto [type, dimension] = parse_raw();
  return open_raw_sample_stream(STDIN_FILENO, kStandardInput, type, dimension);
}

std::unique_ptr<Samples> FitInput::read_raw(const std::string& path) const {
  const auto [type, dimension] = parse_raw();
  return read_raw_samples(path, type, dimension);
}

RawFormat FitInput::parse_raw() const {
  if (columns) throw option_error("--columns", "given", "left out with --raw: raw files have samples in rows");
  if (const std::string option = patches.given(); !option.empty()) {
    throw option_error(option, "given", "left out with --raw: raw files are not images");
  }
  return parse_raw_format("--raw", *raw);
}

}  // namespace orthodict::cli
