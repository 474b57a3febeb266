// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "command.h"
#include "orthodict/error.h"
#include "orthodict/model.h"

namespace orthodict::cli {
namespace {

struct Info {
  std::string model_path;
  bool json = false;

  int run() const {
    const Model model = load_model(model_path);
    const Json metadata = parse_metadata(model.metadata);
    if (json) {
      const std::vector<double> confidence(model.confidence.begin(), model.confidence.end());
      Json object = {{"dimension", model.features()},
                     {"atoms", model.atoms()},
                     {"confidence", confidence.empty() ? Json(nullptr) : Json(confidence)},
                     {"metadata", metadata}};
      if (model.is_complex) object["complex"] = true;
      print_json(object);
    } else {
      fmt::print("{}: {} atoms in {}{} dimensions\n", model_path, model.atoms(), model.features(),
                 model.is_complex ? " complex" : "");
      print_confidence(model.confidence);
      print_tree(metadata, 1);
    }
    return kDone;
  }

  // The atoms of most confidence; atoms count from 0.
  static void print_confidence(const Vector<double>& confidence) {
    constexpr std::size_t kMost = 10;
    if (confidence.size() == 0) return;
    std::vector<Index> order(static_cast<std::size_t>(confidence.size()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return confidence[a] > confidence[b]; });
    fmt::print("  confidence of {}\n", order.size() > kMost ? "the ten atoms that have most" : "each atom");
    for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
      fmt::print("    atom {:<10} {:.3f}\n", order[i], confidence[order[i]]);
    }
  }

  [[nodiscard]] Json parse_metadata(const std::string& text) const {
    // Printing is recursive; deeper nesting is damage and would overflow the stack.
    constexpr int kDeepest = 100;
    const auto check_depth = [&](int depth, Json::parse_event_t, const Json&) {
      if (depth > kDeepest) throw data_error(model_path, "damaged model: metadata are nested too deeply");
      return true;
    };
    Json metadata = Json::parse(text, check_depth, /*allow_exceptions=*/false);
    if (!metadata.is_object()) throw data_error(model_path, "damaged model: metadata isn't a JSON object");
    return metadata;
  }

  static void print_tree(const Json& object, int depth) {
    for (const auto& [key, value] : object.items()) {
      if (value.is_object()) {
        fmt::print("{:{}}{}\n", "", 2 * depth, key);
        print_tree(value, depth + 1);
      } else {
        fmt::print("{:{}}{:<16}{}\n", "", 2 * depth, key, text_of(value));
      }
    }
  }

  static std::string text_of(const Json& value) {
    constexpr std::size_t kShort = 8;
    if (value.is_array() && value.size() > kShort) return fmt::format("{} values", value.size());
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
};

}  // namespace

void add_info(App& app, Run* run) {
  const auto command = std::make_shared<Info>();
  add_file_option(app, "model", &command->model_path, "Model from orthodict fit (.npz)")->required();
  add_json_flag(app, &command->json);
  app.examples({"orthodict info model.npz", "orthodict info model.npz --json"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
