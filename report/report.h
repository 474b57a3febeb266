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

// Called between pieces of work, with how much of `what` is done. What it throws ends the work.
using Progress = std::function<void(const std::string& what, Index done, Index all)>;

struct ReportOptions {
  static constexpr Index kMostItems = 64;

  std::string title;
  std::string model_name;           // for people
  std::vector<Index> sample_shape;  // of pictures; empty: what the model says, or else the samples
  Index items = 12;                 // samples to reconstruct, 0 … kMostItems
  Progress progress = [](const std::string&, Index, Index) {};

  // Throws Error that names the option that isn't legal for a model.
  void validate(const Model& model) const;
};

// All that the page shows. `samples` may be null: what needs them is null then. A random part of the samples, fixed by
// their number, stands for all of them. Equal input gives equal output. Throws Error when samples aren't finite or
// don't fit the model.
[[nodiscard]] Json make_report(const Model& model, const Samples* samples, const ReportOptions& options);

// The page: one HTML document that needs nothing else.
[[nodiscard]] std::string render_page(const Json& report);

}  // namespace orthodict::report
