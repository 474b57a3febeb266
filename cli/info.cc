// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "command.h"
#include "model/per_atom.h"
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
      Json answer = {{"dimension", model.features()}, {"atoms", model.atoms()}};
      for (const PerAtom& of_atoms : kPerAtom) {
        const Vector<double>& values = model.*of_atoms.values;
        answer[std::string(of_atoms.name)] =
            values.size() == 0 ? Json(nullptr) : Json(std::vector(values.begin(), values.end()));
      }
      if (model.stability.size() > 0) answer["stable_atoms"] = stable_atoms(model);
      if (model.is_complex) answer["complex"] = true;
      answer["metadata"] = metadata;
      print_json(answer);
    } else {
      fmt::print("{}: {} atoms in {}{} dimensions\n", model_path, model.atoms(), model.features(),
                 model.is_complex ? " complex" : "");
      print_confidence(model.confidence);
      print_stability(model);
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

  // Of each atom, how well it comes again in several runs.
  static void print_stability(const Model& model) {
    if (model.stability.size() == 0) return;
    const std::vector<bool> stable = stable_atoms(model);
    const bool resampled = model.resampled_stability.size() > 0;
    fmt::print("  how well each atom comes again\n    {:<10} {:>9} {:>6}{}\n", "atom", "stability", "found",
               resampled ? fmt::format(" {:>11} {:>6}", "resampled", "found") : "");
    for (Index i = 0; i < model.atoms(); ++i) {
      fmt::print("    {:<10} {:>9.3f} {:>6.2f}", i, model.stability[i], model.found[i]);
      if (resampled) fmt::print(" {:>11.3f} {:>6.2f}", model.resampled_stability[i], model.resampled_found[i]);
      fmt::print("{}\n", stable[static_cast<std::size_t>(i)] ? "  stable" : "");
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
