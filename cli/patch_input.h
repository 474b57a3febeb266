// SPDX-License-Identifier: Apache-2.0
// Images as samples: the options of all commands that cut images into patches or assemble them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "orthodict/patches.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::cli {

struct PatchInput {
  std::optional<std::string> patch;
  std::optional<Index> stride;
  bool color = false;

  // The name of a given option, for messages; empty if none was given.
  [[nodiscard]] std::string given() const;
};

void add_patch_options(App& app, PatchInput* input);

// The given options. Options that aren't given follow from `shape`, the sample_shape of a model (may be empty);
// contradicting it is an error. `source` is the name of the image, for messages.
PatchOptions patch_options(const PatchInput& input, const std::vector<Index>& shape, const std::string& source);

// The samples of a file, or the patches of an image or of a folder of images.
std::unique_ptr<Samples> read_samples_or_patches(const std::string& path, bool columns, const PatchInput& input,
                                                 const std::vector<Index>& shape = {});

}  // namespace orthodict::cli
