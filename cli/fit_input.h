// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "arguments.h"
#include "orthodict/io.h"
#include "orthodict/ranks.h"
#include "orthodict/samples.h"
#include "patch_input.h"

namespace orthodict::cli {

// What `fit` learns from.
struct FitInput {
  std::vector<std::string> names;
  bool columns = false;
  std::optional<std::string> raw;  // "f32x100"
  std::optional<Index> section;    // of standard input; set once that is open
  PatchInput patches;

  // All samples; or null, and `stream` set, where standard input is to be read in sections. Where names have {rank} in
  // them each rank reads files of its own, else all see the same ones. The input must outlive the samples. Standard
  // input is waited for as many seconds as there are.
  [[nodiscard]] std::unique_ptr<Samples> read(Ranks* ranks, std::optional<double> time_limit);

  // All files that are read, on whichever rank.
  [[nodiscard]] std::vector<std::string> paths() const;

  std::unique_ptr<SampleStream> stream = nullptr;

 private:
  [[nodiscard]] std::unique_ptr<Samples> read_files(Ranks* ranks);
  [[nodiscard]] std::unique_ptr<Samples> read_standard_input(std::optional<double> time_limit);
  // Neither samples nor a stream where a stop was requested.
  [[nodiscard]] std::unique_ptr<Samples> read_or_open_stream(const std::stop_token& stop);
  [[nodiscard]] std::unique_ptr<SampleStream> open_stream(const std::stop_token& stop) const;
  [[nodiscard]] std::unique_ptr<Samples> read_raw(const std::string& path) const;

  [[nodiscard]] RawFormat parse_raw() const;

  std::unique_ptr<Samples> own_samples_;  // of this rank, where each has its own
};

}  // namespace orthodict::cli
