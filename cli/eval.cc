// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "orthodict/complex.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/metrics.h"
#include "orthodict/model.h"

namespace orthodict::cli {
namespace {

struct Eval {
  std::string model_path;
  std::string truth_path;
  std::string samples_path;
  std::optional<double> theta;
  bool columns = false;
  bool json = false;

  int run() {
    if (theta && !(*theta > 0 && *theta <= 1)) throw option_error("--theta", fmt::format("{}", *theta), "in (0, 1]");
    if (theta.has_value() == samples_path.empty()) {
      throw option_error("--theta", theta ? fmt::format("{}", *theta) : "unset",
                         "given together with --samples: the objective is normalised by 3np theta");
    }
    const Model model = load_model(model_path);
    const RowMatrix<double> truth = dictionary_in(read_array_at(truth_path), model.is_complex);
    validate_truth(truth, atoms_needed(model), model.dimension(), truth_path);
    const Recovery recovery = compare(model, truth);
    if (theta && (model.analysis.size() == 0 || !is_orthogonal(model))) {
      throw option_error("--samples", samples_path,
                         "left out: the objective is normalised for orthogonal dictionaries only");
    }
    std::optional<double> objective;
    if (theta) {
      const auto samples = read_samples_at(samples_path, layout_of(columns));
      objective =
          normalized_objective(l4_objective(model, *samples), model.atoms(), samples->size(), *theta, model.is_complex);
    }
    json ? print_json(to_json(model, recovery, truth.rows(), objective))
         : print_text(model, recovery, truth.rows(), objective);
    return kDone;
  }

  static bool is_orthogonal(const Model& model) {
    return model.is_complex ? as_complex(model.analysis).isApprox(as_complex(model.dictionary).conjugate())
                            : model.analysis.isApprox(model.dictionary);
  }

  static double l4_objective(const Model& model, const Samples& samples) {
    double sum = 0;
    for_each_block(samples.size(), "samples", [&](Index first, Index count) {
      const RowMatrix<double> codes = encode(model, samples, first, count);
      sum += model.is_complex ? as_complex(codes).array().abs2().square().sum() : codes.array().square().square().sum();
    });
    return sum;
  }

  static Json to_json(const Model& model, const Recovery& recovery, Index true_atoms, std::optional<double> objective) {
    Json object = {{"dimension", model.features()},
                   {"atoms", model.atoms()},
                   {"error", recovery.error},
                   {"worst_cosine", recovery.worst_cosine},
                   {"mean_cosine", recovery.mean_cosine},
                   {"hits", recovery.hits},
                   {"true_atoms", true_atoms}};
    if (objective) object["normalized_objective"] = *objective;
    object["cosines"] = recovery.cosines;
    object["matches"] = recovery.matches;
    if (model.is_complex) {
      Json phases = Json::array();
      for (const auto& phase : recovery.phases) phases.push_back(std::arg(phase));
      object["phases"] = phases;
    } else {
      object["signs"] = recovery.signs;
    }
    return object;
  }

  static void print_text(const Model& model, const Recovery& recovery, Index true_atoms,
                         std::optional<double> objective) {
    fmt::print("{} atoms: error {:.3e}, worst cosine {:.6f}, mean cosine {:.6f}\n", model.atoms(), recovery.error,
               recovery.worst_cosine, recovery.mean_cosine);
    if (model.atoms() != true_atoms) fmt::print("{} of {} true atoms found\n", recovery.hits, true_atoms);
    if (objective) fmt::print("normalized objective {:.6f}\n", *objective);
  }
};

}  // namespace

void add_eval(App& app, Run* run) {
  const auto command = std::make_shared<Eval>();
  add_file_option(app, "model", &command->model_path, "Model from orthodict fit (.npz)")->required();
  add_file_option(app, "--truth", &command->truth_path, "The true dictionary, atoms in rows")->required();
  app.begin_group(kSamplesGroup);
  add_file_option(app, "--samples", &command->samples_path,
                  "Also print ||AY||_4^4 / 3np theta of these samples; needs --theta");
  app.add_option("--theta", command->theta, "Sparsity of the samples' coefficients, in (0, 1]");
  add_columns_flag(app, &command->columns);
  app.begin_group(kOutputGroup);
  add_json_flag(app, &command->json);
  app.examples({"orthodict eval model.npz --truth d.npy"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
