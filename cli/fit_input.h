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

// The input of `fit`.
struct FitInput {
  std::vector<std::string> names;
  bool columns = false;
  std::optional<std::string> raw;  // "f32x100"
  std::optional<Index> section;    // samples per section of standard input; set when it is opened
  PatchInput patches;

  // Returns all samples, or null with `stream` set if standard input is to be read in sections. If names contain
  // {rank}, each rank reads its own files; otherwise all ranks read the same ones. The input must outlive the samples.
  // Waits for standard input no longer than the time limit.
  [[nodiscard]] std::unique_ptr<Samples> read(Ranks* ranks, std::optional<double> time_limit);

  // All files that are read, on any rank.
  [[nodiscard]] std::vector<std::string> paths() const;

  // The names of the features, where files have any; of this rank's files, if each has its own. Throws Error if files
  // disagree.
  [[nodiscard]] std::vector<std::string> feature_names() const;

  std::unique_ptr<SampleStream> stream = nullptr;

 private:
  [[nodiscard]] std::unique_ptr<Samples> read_files(Ranks* ranks);
  [[nodiscard]] std::unique_ptr<Samples> read_standard_input(std::optional<double> time_limit);
  // Returns null without a stream if a stop was requested.
  [[nodiscard]] std::unique_ptr<Samples> read_or_open_stream(const std::stop_token& stop);
  [[nodiscard]] std::unique_ptr<SampleStream> open_stream(const std::stop_token& stop) const;
  [[nodiscard]] std::unique_ptr<Samples> read_raw(const std::string& path) const;

  [[nodiscard]] RawFormat parse_raw() const;

  std::unique_ptr<Samples> own_samples_;  // of this rank, if each has its own files
};

}  // namespace orthodict::cli
