// SPDX-License-Identifier: Apache-2.0
#include "fit_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "launch.h"
#include "orthodict/error.h"

namespace orthodict::cli {
namespace {

constexpr std::string_view kRank = "{rank}";

bool has_rank(const std::string& name) { return name.find(kRank) != std::string::npos; }

std::string with_rank(std::string name) {
  for (std::size_t at = name.find(kRank); at != std::string::npos; at = name.find(kRank, at)) {
    if (!launch().is_told) throw option_error("samples", name, "a name without {rank}, unless started by mpirun");
    name.replace(at, kRank.size(), fmt::format("{}", launch().rank));
  }
  return name;
}

}  // namespace

std::unique_ptr<Samples> FitInput::read(Ranks* ranks) {
  const bool is_piped = std::find(names.begin(), names.end(), "-") != names.end();
  if (ranks != nullptr && is_piped) {
    throw option_error("samples", "-", "files: standard input can't be read on several ranks");
  }
  if (section && *section < 1) throw option_error("--section", fmt::format("{}", *section), "1 or more");
  if (is_piped && names.size() == 1 && patches.given().empty()) return read_standard_input();
  if (section) throw option_error("--section", fmt::format("{}", *section), "left out unless all is standard input");
  return read_files(ranks);
}

std::unique_ptr<Samples> FitInput::read_files(Ranks* ranks) {
  const bool apart = std::any_of(names.begin(), names.end(), has_rank);
  if (apart && !std::all_of(names.begin(), names.end(), has_rank)) {
    throw option_error("samples", names.front(), "names that all have {rank} in them, or none");
  }
  std::vector<std::unique_ptr<Samples>> parts;
  for (const std::string& name : names) {
    const std::string path = with_rank(name);
    parts.push_back(raw ? read_raw(path) : read_samples_or_patches(path, columns, patches));
  }
  auto samples = join_samples(std::move(parts));
  if (!apart || ranks == nullptr) return samples;
  own_samples_ = std::move(samples);
  return samples_of_ranks(*own_samples_, *ranks);
}

std::unique_ptr<Samples> FitInput::read_standard_input() {
  stream = open_stream();
  if (!section) section = stream->section_size();
  if (*section < stream->dimension()) {
    throw option_error("--section", fmt::format("{}", *section),
                       fmt::format("{} or more, which is the number of features", stream->dimension()));
  }
  if (!stream->size() || *section < *stream->size()) return nullptr;
  auto samples = stream->read(*section);
  stream.reset();
  return samples;
}

std::unique_ptr<SampleStream> FitInput::open_stream() const {
  if (!raw) return open_sample_stream(columns ? Layout::kColumns : Layout::kRows);
  const auto [type, dimension] = parse_raw();
  return open_raw_sample_stream(type, dimension);
}

std::unique_ptr<Samples> FitInput::read_raw(const std::string& path) const {
  const auto [type, dimension] = parse_raw();
  return read_raw_samples(path, type, dimension);
}

FitInput::RawFormat FitInput::parse_raw() const {
  if (columns) throw option_error("--columns", "given", "left out with --raw: samples are one after the other");
  if (const std::string option = patches.given(); !option.empty()) {
    throw option_error(option, "given", "left out with --raw: these aren't images");
  }
  const std::size_t cross = raw->find('x');
  const auto type = parse_element_type(raw->substr(0, cross));
  Index dimension = 0;
  const char* end = raw->data() + raw->size();
  const char* number = cross == std::string::npos ? end : raw->data() + cross + 1;
  const auto [rest, status] = std::from_chars(number, end, dimension);
  if (!type || status != std::errc{} || rest != end || dimension < 1) {
    throw option_error("--raw", *raw, "TYPExFEATURES, as f32x100; types are u8 to u64, i8 to i64, f16, f32 and f64");
  }
  return {*type, dimension};
}

}  // namespace orthodict::cli
