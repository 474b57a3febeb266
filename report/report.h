// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "orthodict/model.h"
#include "orthodict/samples.h"

namespace orthodict::report {

using Json = nlohmann::ordered_json;

// Called between pieces of work with the progress of `what`. An exception ends the work.
using Progress = std::function<void(const std::string& what, Index done, Index all)>;

struct ReportOptions {
  static constexpr Index kMostItems = 64;

  std::string title;
  std::string model_name;             // shown on the page
  std::vector<Index> sample_shape;    // for pictures; by default that of the model, or else of the samples
  std::vector<std::string> features;  // their names, by default those that the model has
  Index items = 12;                   // samples to reconstruct, 0 … kMostItems
  Json scan = nullptr;                // of read_scan(); null to leave it out
  Progress progress = [](const std::string&, Index, Index) {};

  // Throws Error, naming the first option that isn't legal for the model.
  void validate(const Model& model) const;
};

// The contents of the page. `samples` may be null; then the parts that need samples are null. A random subset, which
// depends only on their number and dimension, represents all samples. Equal input gives equal output. Throws Error if
// samples aren't finite or don't fit the model.
[[nodiscard]] Json make_report(const Model& model, const Samples* samples, const ReportOptions& options);

// Throws Error where the page is left out of the build.
void require_page();

// The page: a single HTML document without external resources.
[[nodiscard]] std::string render_page(const Json& report);

}  // namespace orthodict::report
