// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "baselines/methods.h"
#include "command.h"
#include "interrupt.h"
#include "learning_options.h"
#include "orthodict/complex.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/metrics.h"
#include "progress.h"
#include "solver/option_fields.h"

namespace orthodict::cli {
namespace {

using baselines::AnyMethod;

// Statistics of the codes: means over the atoms that have energy.
struct CodeStatistics {
  double kurtosis = 0;  // mean z⁴ / (mean z²)²: 3 for Gaussian codes, larger for sparse ones
  double l1 = 0;        // mean |z| / √(mean z²): √(2/π) ≈ .8 for Gaussian codes, smaller for sparse ones
};

CodeStatistics statistics_of(const Model& model, const Samples& samples) {
  using Array = Eigen::ArrayXd;
  Array first = Array::Zero(model.atoms());
  Array second = first;
  Array fourth = first;
  double unit = 0;  // the largest code of the first nonzero block; scaling by it avoids overflow of powers
  for_each_block(samples.size(), "codes", [&](Index begin, Index count) {
    RowMatrix<double> z = encode(model, samples, begin, count);
    if (model.is_complex) z = as_complex(z).cwiseAbs().eval();
    if (unit == 0 && z.size() > 0) unit = z.cwiseAbs().maxCoeff();
    if (unit > 0) z /= unit;
    first += z.array().abs().colwise().sum().transpose();
    second += z.array().square().colwise().sum().transpose();
    fourth += z.array().square().square().colwise().sum().transpose();
  });
  const auto p = static_cast<double>(samples.size());
  const double least = 1e-20 * second.maxCoeff();
  CodeStatistics sums;
  Index atoms = 0;
  for (Index i = 0; i < model.atoms(); ++i) {
    if (!(second[i] > least)) continue;
    sums.kurtosis += p * fourth[i] / (second[i] * second[i]);
    sums.l1 += first[i] / std::sqrt(p * second[i]);
    ++atoms;
  }
  return {sums.kurtosis / static_cast<double>(atoms), sums.l1 / static_cast<double>(atoms)};
}

struct Outcome {
  std::string method;
  std::string failure = {};  // empty if the method succeeded
  ExitCode code = kDone;
  Summary summary = {};
  std::optional<Recovery> recovery = {};
  CodeStatistics codes = {};
};

struct Compare {
  Options options;
  baselines::Parameters parameters;
  std::string input;
  std::string truth_path;
  std::vector<std::string> methods = {"auto", "msp", "ksvd", "online", "subgradient", "fastica", "pca"};
  bool columns = false;
  bool json = false;

  int run() {
    for (const std::string& name : methods) {
      Options its = options;
      find_method(name, &its);
    }
    Options plain = options;
    plain.method = Method::kMsp;
    plain.validate();
    RowMatrix<double> truth;
    const auto samples = read_samples_at(input, layout_of(columns));
    if (!truth_path.empty()) truth = dictionary_in(read_array_at(truth_path), samples->is_complex());
    if (truth.size() > 0) {
      validate_truth(truth, options.atoms.value_or(1).count().value_or(1), samples->dimension(), truth_path);
      parameters.subgradient.truth = truth;
    }
    stop_on_interrupt();
    options.stop = stop_token();

    std::vector<Outcome> outcomes;
    for (const std::string& name : methods) {
      outcomes.push_back(try_method(name, *samples, truth));
      if (interrupted()) break;
    }
    json ? print_json(to_json(*samples, outcomes)) : print_table(outcomes);
    if (interrupted()) return kInterrupted;
    const auto worst = std::max_element(outcomes.begin(), outcomes.end(),
                                        [](const Outcome& a, const Outcome& b) { return a.code < b.code; });
    return worst->code;
  }

  const AnyMethod& find_method(const std::string& name, Options* its) const {
    const AnyMethod& method = baselines::find_method("--methods", name, its);
    if (method.name == "subgradient_oracle" && truth_path.empty()) {
      throw option_error("--methods", name, "given together with --truth");
    }
    return method;
  }

  // A method that fails on these data doesn't end the comparison.
  Outcome try_method(const std::string& name, const Samples& samples, const RowMatrix<double>& truth) {
    Outcome outcome{.method = name};
    try {
      Progress progress;
      options.callback = [&](const Iterate& iterate) {
        progress.show(
            fmt::format("{}  iteration {}  {:.1f} s", name, iterate.record().iteration, iterate.record().seconds));
        return interrupted();
      };
      Options its = options;
      const AnyMethod& method = find_method(name, &its);
      if (method.whitens == baselines::Whitens::kNever) its.dictionary = Dictionary::kAuto;
      const FitResult result = method.fit(samples, its, parameters);
      outcome.summary = result.summary;
      if (truth.size() > 0) outcome.recovery = compare(result.model, truth);
      outcome.codes = statistics_of(result.model, samples);
    } catch (const Error& error) {
      outcome.failure = error.what();
      outcome.code = error.fault() == Fault::kOption ? kBadUsage : kBadData;
    } catch (const std::bad_alloc&) {
      outcome.failure = "not enough memory";
      outcome.code = kBadData;
    }
    return outcome;
  }

  static Json to_json(const Samples& samples, const std::vector<Outcome>& outcomes) {
    Json rows = Json::array();
    for (const Outcome& o : outcomes) {
      Json row = {{"method", o.method}};
      if (o.failure.empty()) {
        if (o.recovery) row.update({{"error", o.recovery->error}, {"worst_cosine", o.recovery->worst_cosine}});
        row.update({{"kurtosis", o.codes.kurtosis},
                    {"l1", o.codes.l1},
                    {"seconds", o.summary.total_seconds},
                    {"iterations", o.summary.iterations},
                    {"termination", name_of(o.summary.termination)}});
      } else {
        row["failure"] = o.failure;
      }
      rows.push_back(row);
    }
    return {{"dimension", samples.is_complex() ? samples.dimension() / 2 : samples.dimension()},
            {"samples", samples.size()},
            {"methods", rows}};
  }

  static void print_table(const std::vector<Outcome>& outcomes) {
    fmt::print("{:<18} {:>10} {:>8} {:>9} {:>6} {:>9} {:>10}  {}\n", "method", "error", "cosine", "kurtosis", "l1",
               "seconds", "iterations", "termination");
    for (const Outcome& o : outcomes) {
      if (!o.failure.empty()) {
        fmt::print("{:<18} failed: {}\n", o.method, o.failure);
        continue;
      }
      fmt::print("{:<18} {:>10} {:>8} {:>9.4g} {:>6.3f} {:>9.3f} {:>10}  {}\n", o.method,
                 o.recovery ? fmt::format("{:.2e}", o.recovery->error) : "-",
                 o.recovery ? fmt::format("{:.4f}", o.recovery->worst_cosine) : "-", o.codes.kurtosis, o.codes.l1,
                 o.summary.total_seconds, o.summary.iterations, name_of(o.summary.termination));
    }
  }
};

}  // namespace

void add_compare(App& app, Run* run) {
  const auto command = std::make_shared<Compare>();
  Compare& c = *command;
  app.group_order({kSamplesGroup, std::string(solver::kLearningGroup), kBaselinesGroup,
                   std::string(solver::kStoppingGroup), std::string(solver::kComputationGroup), kOutputGroup});
  add_file_option(app, "samples", &c.input, "Samples, in any format of arrays that orthodict fit reads")->required();
  app.begin_group(std::string(solver::kLearningGroup));
  app.add_option("--methods", c.methods, "Methods to compare, separated by commas:" + describe_methods())
      ->separated_by(',')
      ->default_str(fmt::format("{}", fmt::join(c.methods, ",")))
      ->value_name("NAMES");
  app.begin_group(kOutputGroup);
  add_file_option(app, "--truth", &c.truth_path,
                  "The true dictionary, atoms in rows; adds error and worst cosine to the table");
  add_learning_options(app, &c.options, {"dictionary", "atoms", "max_iterations", "time_limit", "seed", "threads"});
  add_baseline_options(app, &c.parameters);
  add_columns_flag(app, &c.columns);
  add_json_flag(app, &c.json);
  app.footer(
      "Limits apply to each method. With --dictionary auto, msp and subgradient assume an orthogonal dictionary: use "
      "complete unless samples are white.\n"
      "error is |1 - ||A D_o||_4^4/n|; cosine is the smallest |cos| between a true atom and its match.\n"
      "kurtosis and l1 measure sparsity, as means over atoms: kurtosis is mean z^4 / (mean z^2)^2, 3 for Gaussian "
      "codes and larger for sparse ones; l1 is mean |z| / (mean z^2)^(1/2), .8 for Gaussian codes and smaller for "
      "sparse ones.");
  app.examples({"orthodict compare y.npy --truth d.npy", "orthodict compare y.npy --methods auto,msp:l3,fastica"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
