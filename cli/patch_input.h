// SPDX-License-Identifier: Apache-2.0
// Images as samples: the options of every command that cuts patches or puts them back.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orthodict/patches.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::cli {

struct PatchInput {
  std::optional<std::string> patch;
  std::optional<Index> stride;
  bool color = false;

  // The option that was given, to name it in a message; empty when none was.
  [[nodiscard]] std::string given() const;
};

void add_patch_options(CLI::App& app, PatchInput* input);

// What was asked for. What wasn't is as `shape` says, the sample_shape of a model (or empty); asking for something else
// is an error. `source` is what is to be cut, for the message when there is no shape at all.
PatchOptions patch_options(const PatchInput& input, const std::vector<Index>& shape, const std::string& source);

// The samples of a file, or the patches of an image or of a folder of images.
std::unique_ptr<Samples> read_samples_or_patches(const std::string& path, bool columns, const PatchInput& input,
                                                 const std::vector<Index>& shape = {});

}  // namespace orthodict::cli
