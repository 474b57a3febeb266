// SPDX-License-Identifier: Apache-2.0
#include "orthodict/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "baselines/methods.h"
#include "command.h"
#include "fit_input.h"
#include "formats/registry.h"
#include "interrupt.h"
#include "launch.h"
#include "learning_options.h"
#include "model/feature_names.h"
#include "model/per_atom.h"
#include "names_in_tables.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/metrics.h"
#include "orthodict/stream.h"
#include "progress.h"
#include "solver/field_values.h"
#include "solver/option_fields.h"
#include "solver/summary_fields.h"

namespace orthodict::cli {
namespace {

struct FitCommand {
  Options options;
  FitInput input;
  std::string output;
  std::string truth_path;
  std::string trace_path;
  std::string method = "auto";
  const Option* checkpoint_every = nullptr;
  std::string init = "random";
  bool json = false;
  bool verbose = false;

  bool is_complex = false;
  std::optional<Array> first_atoms;  // in the file that --init names
  RowMatrix<double> truth;
  std::optional<Recovery> recovery;
  std::string trace;
  const baselines::AnyMethod* any_method = nullptr;
  baselines::Parameters parameters;

  int run() {
    options.ranks = join_ranks();
    if (!options.threads) options.threads = threads_of_launch();
    any_method = &baselines::find_method("method", method, &options);
    set_defaults();
    read_initialization();
    check_checkpoint_interval();
    baselines::validate(*any_method, options, parameters);
    const auto true_atoms = truth_path.empty() ? std::nullopt : std::optional(read_array_at(truth_path));
    std::unique_ptr<Samples> samples = input.read(options.ranks.get(), options.time_limit);
    is_complex = samples ? samples->is_complex() : input.stream->is_complex();
    if (true_atoms) truth = dictionary_in(*true_atoms, is_complex);
    if (first_atoms) options.initial_dictionary = dictionary_in(*first_atoms, is_complex);
    if (samples) {
      check(samples->dimension(), samples->name());
    } else {
      check(input.stream->dimension(), "standard input");
    }
    stop_on_interrupt();

    trace = "iteration,objective,step,seconds,stage,samples";
    trace += truth.size() > 0 ? ",error\n" : "\n";
    options.stop = stop_token();
    const std::vector<std::string> names = input.feature_names();
    if (!options.ranks && !names.empty() && begins_with_index(*samples)) {
      fmt::print(stderr,
                 "warning: {} counts the samples, and is taken for a feature: clear its heading if it is an index\n",
                 names.front());
    }
    FitResult result = fit_with_progress(samples.get());
    if (!is_first()) return exit_code(result.summary.termination);
    name_features(names, &result.model);
    if (!output.empty()) save_model(output_at(output), result.model);
    if (!trace_path.empty()) write_file(output_at(trace_path), trace);
    if (truth.size() > 0) {
      recovery = compare(result.model, truth);
    }
    report(result);
    for (const std::string& warning : result.summary.warnings) fmt::print(stderr, "warning: {}\n", warning);
    if (!result.summary.checkpoint_error.empty()) {
      fmt::print(stderr, "orthodict: the checkpoint isn't up to date: {}\n", result.summary.checkpoint_error);
    }
    return exit_code(result.summary.termination);
  }

  // Only rank 0 writes files and prints.
  [[nodiscard]] bool is_first() const { return !options.ranks || options.ranks->rank() == 0; }

  // The defaults for images: an orthogonal dictionary of centred patches.
  void set_defaults() {
    if (!input.patches.patch) return;
    const auto [height, width] = parse_patch_shape("--patch", *input.patches.patch);
    const Index entries = height * width * (input.patches.color ? 3 : 1);
    const bool is_overcomplete = options.atoms && options.atoms->count().value_or(0) > entries;
    if (!is_msp() && !options.whiten && options.dictionary == Dictionary::kAuto && !is_overcomplete) {
      options.dictionary = Dictionary::kOrthogonal;
    }
    const bool centres = is_msp() || is_overcomplete || options.dictionary == Dictionary::kOrthogonal ||
                         options.dictionary == Dictionary::kOvercomplete;
    if (!options.center && centres) options.center = true;
  }
  [[nodiscard]] bool is_msp() const { return any_method->of_library == Method::kMsp; }

  void check_checkpoint_interval() const {
    if (checkpoint_every->is_given() && options.checkpoint.empty() && options.resume.empty()) {
      throw option_error("--checkpoint-every", fmt::format("{}", options.checkpoint_every),
                         "left out where there is neither --checkpoint nor --resume");
    }
  }

  // Fits the samples, or the stream if `samples` is null.
  FitResult fit_with_progress(const Samples* samples) {
    Progress progress;
    options.callback = [&](const Iterate& iterate) {
      if (is_first()) observe(iterate, progress);
      return interrupted();
    };
    if (truth.size() > 0) parameters.subgradient.truth = truth;
    if (samples != nullptr) return any_method->fit(*samples, options, parameters);
    if (!any_method->of_library) {
      throw option_error("--method", method, "auto or msp for samples that are read in sections");
    }
    return fit_stream([this](const std::stop_token& stop) { return input.stream->read(*input.section, stop); },
                      options);
  }

  void read_initialization() {
    if (init == "random") {
      options.init = Initialization::kRandom;
    } else if (init == "identity") {
      options.init = Initialization::kIdentity;
    } else {
      options.init = Initialization::kGiven;
      first_atoms = read_array_at(init);
      options.initial_dictionary = to_matrix(*first_atoms);
    }
  }

  // Checks before the run what would fail after it.
  void check(Index dimension, const std::string& name) const {
    require_model_name("--output", output);
    const auto checkpoint = options.checkpoint.empty() ? std::pair("--resume", options.resume)
                                                       : std::pair("--checkpoint", options.checkpoint);
    std::vector<std::string> inputs = input.paths();
    inputs.insert(inputs.end(), {truth_path, init});
    if (options.checkpoint != options.resume && !options.checkpoint.empty()) inputs.push_back(options.resume);
    if (is_first()) check_outputs({{"--output", output}, {"--trace", trace_path}, checkpoint}, inputs, json);
    if (truth.size() > 0) {
      const Index features = is_complex ? dimension / 2 : dimension;
      const Index atoms = options.atoms.value_or(is_square() ? features : 1).count().value_or(1);
      const bool is_overcomplete = options.dictionary == Dictionary::kOvercomplete || atoms > features;
      validate_truth(truth, is_overcomplete ? 1 : atoms, dimension, truth_path);
    }
    if (options.init == Initialization::kGiven && options.initial_dictionary.cols() != dimension) {
      throw data_error(init, fmt::format("atoms of {} entries, but {} has {} features",
                                         options.initial_dictionary.cols(), name, dimension));
    }
  }

  // Whether there will certainly be as many atoms as features.
  [[nodiscard]] bool is_square() const {
    if (!any_method->of_library) return !baselines::whitens(*any_method, options);
    return options.dictionary == Dictionary::kOrthogonal || options.whiten == Whitening::kNone ||
           (is_msp() && !options.whiten && options.dictionary == Dictionary::kAuto);
  }

  void observe(const Iterate& iterate, Progress& progress) {
    const IterationRecord& r = iterate.record();
    const std::string step = r.step ? fmt::format("{:.3e}", *r.step) : "-";
    progress.show(fmt::format("iteration {}  {}  objective {:.8g}  step {}  {:.1f} s", r.iteration, name_of(r.stage),
                              r.objective, step, r.seconds));
    if (trace_path.empty()) return;
    trace += fmt::format("{},{:.17g},{},{:.6f},{},{}", r.iteration, r.objective,
                         r.step ? fmt::format("{:.17g}", *r.step) : "", r.seconds, name_of(r.stage), r.samples);
    if (truth.size() > 0) trace += fmt::format(",{:.17g}", compare(iterate.model(), truth).error);
    trace += '\n';
  }

  static int exit_code(Termination termination) {
    switch (termination) {
      case Termination::kConverged:
        return kDone;
      case Termination::kStopped:
        return kInterrupted;
      case Termination::kMaxIterations:
      case Termination::kTimeLimit:
      case Termination::kNotEstablished:
        break;
    }
    return kNotConverged;
  }

  void report(const FitResult& result) const {
    if (json) {
      print_json(to_json(result));
    } else {
      print_text(result, output == "-" || trace_path == "-" ? stderr : stdout);
    }
  }

  [[nodiscard]] Json to_json(const FitResult& result) const {
    const Summary& s = result.summary;
    Json object;
    solver::for_each_field_of_summary([&](const auto& field) {
      const bool is_reported = field.reported_in == solver::ReportedIn::kCommand ||
                               field.reported_in == solver::ReportedIn::kModelAndCommand;
      if (is_reported && (field.is_reported == nullptr || field.is_reported(s)))
        object[field.name_in_command] = json_of(field, s);
    });
    object["seed"] = options.seed;
    for (const PerAtom& of_atoms : kPerAtom) {
      const Vector<double>& values = result.model.*of_atoms.values;
      if (values.size() > 0) object[of_atoms.name] = std::vector<double>(values.begin(), values.end());
    }
    if (s.runs > 1) object["stable_atoms"] = stable_atoms(result.model);
    if (options.theta && s.stretch == "l4") {
      object["normalized_objective"] =
          normalized_objective(s.objective, s.atoms, s.samples, *options.theta, is_complex);
    }
    if (recovery) {
      object["error"] = recovery->error;
      object["worst_cosine"] = recovery->worst_cosine;
    }
    if (!output.empty()) object["output"] = output;
    return object;
  }

  void print_text(const FitResult& result, std::FILE* stream) const {
    fmt::print(stream, "{}", verbose ? result.summary.full_report() : result.summary.brief_report() + "\n");
    if (recovery) fmt::print(stream, "error {:.3e}, worst cosine {:.6f}\n", recovery->error, recovery->worst_cosine);
    fmt::print(stream, "{}\n", output.empty() ? "model not saved (no --output)" : "model in " + output);
  }
};

void add_samples_option(App& app, FitInput* input) {
  std::string suffixes;
  for (const formats::Format& format : formats::all_formats()) {
    for (const std::string_view suffix : format.suffixes) suffixes += suffix.empty() ? "" : " " + std::string(suffix);
  }
  add_file_option(
      app, "samples", &input->names,
      "One or more files of samples:" + suffixes +
          "; images (PNG, JPEG, TIFF, PGM, PPM) or folders of images, with --patch; numbers without a header, "
          "with --raw; or - for .npy, or numbers with --raw, on standard input. Under mpirun, {rank} in a "
          "name is replaced by the rank's number, so that each rank reads its own files")
      ->required();
}

void add_input_options(App& app, FitInput* input) {
  app.begin_group(kSamplesGroup);
  add_columns_flag(app, &input->columns);
  app.add_option("--raw", input->raw,
                 "The files are numbers without a header, TYPExFEATURES, such as f32x100, in this machine's byte order")
      ->value_name("FORMAT");
  add_integer_option(app, "--section", &input->section,
                     "Standard input: number of samples to hold in memory at a time; each section is seen once "
                     "(default: the whole input if it fits; else, and always with --raw, 4 million numbers)");
  add_patch_options(app, &input->patches);
}

}  // namespace

void add_fit(App& app, Run* run) {
  const auto command = std::make_shared<FitCommand>();
  FitCommand& c = *command;
  app.group_order({kSamplesGroup, kImagesGroup, std::string(solver::kLearningGroup),
                   std::string(solver::kConsensusGroup), std::string(solver::kMspGroup), kBaselinesGroup,
                   std::string(solver::kStoppingGroup), std::string(solver::kComputationGroup),
                   std::string(solver::kCheckpointGroup), kOutputGroup});
  add_samples_option(app, &c.input);
  add_input_options(app, &c.input);
  app.begin_group(std::string(solver::kLearningGroup));
  app.add_option("--method", c.method, "How to learn:" + describe_methods())->capture_default_str()->value_name("NAME");
  add_learning_options(app, &c.options);
  c.checkpoint_every = app.get_option("--checkpoint-every");
  add_file_option(app, "--init", &c.init, "Initial dictionary: random, identity, or a file with atoms in rows")
      ->capture_default_str()
      ->group(std::string(solver::kComputationGroup));
  add_baseline_options(app, &c.parameters);
  app.begin_group(kOutputGroup);
  add_file_option(app, "-o,--output", &c.output, "Write the model to this file: .npz or -");
  add_file_option(app, "--truth", &c.truth_path,
                  "The true dictionary, atoms in rows: reports the error of the learned");
  add_file_option(app, "--trace", &c.trace_path, "Write a line per iteration to this CSV file");
  add_json_flag(app, &c.json);
  app.add_flag("--verbose", c.verbose, "Print the full report, with every iteration");
  app.examples({"orthodict fit y.npy --output model.npz", "orthodict fit y.npy --stretch l4 --seed 7 --truth d.npy",
                "orthodict fit photo.png --patch 8x8 --stride 4 --output patches.npz",
                "orthodict fit y.npy --dictionary overcomplete --output many.npz"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
