// SPDX-License-Identifier: Apache-2.0
#include "model/feature_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kNames = "feature_names";

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// JSON is UTF-8: other bytes in names are replaced.
std::vector<std::string> as_in_json(const std::vector<std::string>& names) {
  return Json::parse(text_of(Json(names))).get<std::vector<std::string>>();
}

}  // namespace

std::vector<std::string> feature_names(const Model& model) {
  const Json metadata = Json::parse(model.metadata, nullptr, /*allow_exceptions=*/false);
  if (!metadata.is_object() || !metadata.contains(kNames)) return {};
  const Json& names = metadata[kNames];
  const bool are_names = names.is_array() && names.size() == static_cast<std::size_t>(model.features()) &&
                         std::all_of(names.begin(), names.end(), [](const Json& name) { return name.is_string(); });
  return are_names ? names.get<std::vector<std::string>>() : std::vector<std::string>{};
}

void name_features(const std::vector<std::string>& names, Model* model) {
  Json metadata = Json::parse(model->metadata, nullptr, /*allow_exceptions=*/false);
  if (names.size() != static_cast<std::size_t>(model->features()) || !metadata.is_object()) return;
  metadata[kNames] = names;
  model->metadata = text_of(metadata);
}

void require_feature_names(const Model& model, const std::vector<std::string>& names, const std::string& samples) {
  if (names.empty()) return;
  const std::vector<std::string> own = feature_names(model), others = as_in_json(names);
  if (own.empty() || others.size() != own.size()) return;
  const auto [expected, found] = std::mismatch(own.begin(), own.end(), others.begin());
  if (expected == own.end()) return;
  const bool are_permuted = std::is_permutation(own.begin(), own.end(), others.begin());
  throw data_error(
      samples, fmt::format("feature {} is {}, but the model's is {}{}", expected - own.begin() + 1, text::shown(*found),
                           text::shown(*expected), are_permuted ? ": the features have another order" : ""));
}

}  // namespace orthodict
