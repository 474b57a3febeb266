// SPDX-License-Identifier: Apache-2.0
#include "orthodict/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "baselines/any_method.h"
#include "command.h"
#include "fit_input.h"
#include "interrupt.h"
#include "launch.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/metrics.h"
#include "orthodict/stream.h"
#include "progress.h"

namespace orthodict::cli {
namespace {

Json or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// A flag that may be left open. Given an optional<bool>, CLI11 sets it to false when it is.
struct OpenFlag {
  bool value = false;
  const CLI::Option* option = nullptr;
  [[nodiscard]] std::optional<bool> given() const { return option->count() > 0 ? std::optional(value) : std::nullopt; }
};

struct FitCommand {
  Options options;
  FitInput input;
  std::string output;
  std::string truth_path;
  std::string trace_path;
  std::optional<std::string> method;
  std::optional<double> checkpoint_every;
  std::string dictionary = "auto";
  std::optional<std::string> whiten;
  std::string normalize = "none";
  std::optional<std::string> precision;
  std::string init = "random";
  OpenFlag remove_bias;
  OpenFlag center;
  bool json = false;
  bool verbose = false;

  RowMatrix<double> truth;
  std::optional<Recovery> recovery;
  std::string trace;
  baselines::AnyMethod any_method;
  baselines::Parameters parameters;

  int run() {
    options.ranks = join_ranks();
    if (!options.threads) options.threads = threads_of_launch();
    set_defaults();
    any_method = baselines::parse_method("method", *method);
    options.dictionary = parse_name<Dictionary>("dictionary", dictionary);
    if (whiten) options.whiten = parse_name<Whitening>("whiten", *whiten);
    options.normalize = parse_name<Normalization>("normalize", normalize);
    if (precision) options.precision = parse_name<Precision>("precision", *precision);
    read_initialization();
    set_checkpoint_interval();
    baselines::validate(any_method, options, parameters);
    options = baselines::with_method(any_method, options);
    if (!truth_path.empty()) truth = to_matrix(read_array_at(truth_path));
    std::unique_ptr<Samples> samples = input.read(options.ranks.get(), options.time_limit);
    if (samples) {
      check(samples->dimension(), samples->name());
    } else {
      check(input.stream->dimension(), "standard input");
    }
    stop_on_interrupt();

    trace = "iteration,objective,step,seconds,stage,samples";
    trace += truth.size() > 0 ? ",error\n" : "\n";
    options.stop = stop_token();
    const FitResult result = fit_with_progress(samples.get());
    if (!is_first()) return exit_code(result.summary.termination);
    if (!output.empty()) save_model(output_at(output), result.model);
    if (!trace_path.empty()) write_file(output_at(trace_path), trace);
    if (truth.size() > 0) {
      validate_truth(truth, result.model.atoms(), result.model.dimension(), truth_path);
      recovery = compare(result.model, truth);
    }
    report(result);
    for (const std::string& warning : result.summary.warnings) fmt::print(stderr, "warning: {}\n", warning);
    if (!result.summary.checkpoint_error.empty()) {
      fmt::print(stderr, "orthodict: the checkpoint isn't up to date: {}\n", result.summary.checkpoint_error);
    }
    return exit_code(result.summary.termination);
  }

  // Of several ranks one writes and speaks.
  [[nodiscard]] bool is_first() const { return !options.ranks || options.ranks->rank() == 0; }

  // Patches of pictures are centred, and an orthonormal basis is learned, as far as nothing else is asked for.
  void set_defaults() {
    options.center = center.given();
    options.remove_bias = remove_bias.given();
    if (!method) method = "auto";
    if (!input.patches.patch) return;
    const bool is_msp = options.stretch || method->starts_with("msp");
    if (!is_msp && !whiten && dictionary == "auto") dictionary = "orthogonal";
    if (!options.center && (is_msp || dictionary == "orthogonal")) options.center = true;
  }

  void set_checkpoint_interval() {
    if (!checkpoint_every) return;
    if (options.checkpoint.empty() && options.resume.empty()) {
      throw option_error("--checkpoint-every", fmt::format("{}", *checkpoint_every),
                         "left out where there is neither --checkpoint nor --resume");
    }
    options.checkpoint_every = *checkpoint_every;
  }

  // Of the samples, or of the stream where there are none.
  FitResult fit_with_progress(const Samples* samples) {
    Progress progress;
    options.callback = [&](const Iterate& iterate) {
      if (is_first()) observe(iterate, progress);
      return interrupted();
    };
    if (truth.size() > 0) parameters.subgradient.truth = truth;
    if (samples != nullptr) return baselines::fit(*samples, any_method, options, parameters);
    if (any_method.baseline) {
      throw option_error("--method", *method, "auto or msp for samples that are read in sections");
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
      options.initial_dictionary = to_matrix(read_array_at(init));
    }
  }

  // Everything that can be found wrong before the run rather than after it.
  void check(Index dimension, const std::string& name) const {
    require_model_name("--output", output);
    const auto checkpoint = options.checkpoint.empty() ? std::pair("--resume", options.resume)
                                                       : std::pair("--checkpoint", options.checkpoint);
    std::vector<std::string> inputs = input.paths();
    inputs.insert(inputs.end(), {truth_path, init});
    if (options.checkpoint != options.resume && !options.checkpoint.empty()) inputs.push_back(options.resume);
    if (is_first()) check_outputs({{"--output", output}, {"--trace", trace_path}, checkpoint}, inputs, json);
    if (truth.size() > 0) {
      validate_truth(truth, options.atoms.value_or(is_square() ? dimension : 1).count().value_or(1), dimension,
                     truth_path);
    }
    if (options.init == Initialization::kGiven && options.initial_dictionary.cols() != dimension) {
      throw data_error(init, fmt::format("atoms of {} entries, but {} has {} features",
                                         options.initial_dictionary.cols(), name, dimension));
    }
  }

  // It is known beforehand that there will be as many atoms as features.
  [[nodiscard]] bool is_square() const {
    if (any_method.baseline) return !baselines::whitens(*any_method.baseline, options);
    const bool msp = options.stretch || options.method == Method::kMsp;
    return options.dictionary == Dictionary::kOrthogonal || options.whiten == Whitening::kNone ||
           (msp && !options.whiten && options.dictionary == Dictionary::kAuto);
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
    Json object = {{"dimension", s.dimension},
                   {"atoms", s.atoms},
                   {"samples", s.samples},
                   {"rank", s.rank},
                   {"method", s.method},
                   {"dictionary", name_of(s.dictionary)},
                   {"center", s.center},
                   {"normalize", name_of(s.normalize)},
                   {"stretch", s.stretch.empty() ? Json(nullptr) : Json(s.stretch)},
                   {"remove_bias", s.remove_bias},
                   {"precision", name_of(s.precision)},
                   {"iterations", s.iterations},
                   {"passes", s.passes},
                   {"seconds", s.total_seconds},
                   {"moments_seconds", s.moments_seconds},
                   {"pass_seconds", s.pass_seconds},
                   {"projection_seconds", s.projection_seconds},
                   {"objective", or_null(s.objective)},
                   {"termination", name_of(s.termination)},
                   {"message", s.message},
                   {"dependence", s.dependence},
                   {"set_aside", s.set_aside},
                   {"warnings", s.warnings},
                   {"tolerance", s.tolerance},
                   {"seed", options.seed},
                   {"threads", s.threads},
                   {"ranks", s.ranks}};
    if (s.ranks > 1) object["bytes_sent"] = s.bytes_sent;
    for (const auto& [name, value] : s.parameters) object["parameters"][name] = value;
    if (s.method == name_of(Method::kAuto)) {
      object["theta"] = s.theta ? Json(*s.theta) : Json(nullptr);
      object["noise"] = s.noise ? Json(*s.noise) : Json(nullptr);
      object["established"] = s.established;
      object["confidence"] = std::vector<double>(result.model.confidence.begin(), result.model.confidence.end());
    }
    if (options.theta && s.stretch == "l4") {
      object["normalized_objective"] = or_null(normalized_objective(s.objective, s.atoms, s.samples, *options.theta));
    }
    if (recovery) {
      object["error"] = recovery->error;
      object["worst_cosine"] = recovery->worst_cosine;
    }
    if (!output.empty()) object["output"] = output;
    if (!s.checkpoint_error.empty()) object["checkpoint_error"] = s.checkpoint_error;
    return object;
  }

  void print_text(const FitResult& result, std::FILE* stream) const {
    fmt::print(stream, "{}", verbose ? result.summary.full_report() : result.summary.brief_report() + "\n");
    if (recovery) fmt::print(stream, "error {:.3e}, worst cosine {:.6f}\n", recovery->error, recovery->worst_cosine);
    fmt::print(stream, "{}\n", output.empty() ? "no --output: the model isn't kept" : "model in " + output);
  }
};

void add_samples_option(CLI::App& app, FitInput* input) {
  add_file_option(
      app, "samples", &input->names,
      "Samples, in one file or in several: .npy .npz .csv .tsv .idx .mat .h5, or - for .npy, or\nnumbers by "
      "--raw, on standard input; "
      "or\nimages (PNG, JPEG, PGM, PPM) or folders of them, with --patch; or numbers without a header, with "
      "--raw.\nUnder mpirun {rank} in a name is the rank's number: each then reads files of its own")
      ->required();
}

void add_method_options(CLI::App& app, FitCommand* command) {
  FitCommand& c = *command;
  Options& o = c.options;
  app.add_option("--method", c.method, "How to learn; when left out auto:" + describe_methods());
  app.add_option("--dictionary", c.dictionary, describe_values<Dictionary>("What to learn:"))->capture_default_str();
  app.add_option("--stretch", o.stretch,
                 "Of msp: l4, l3, power:Q (Q > 2), soft[:MU], hard[:TAU], logcosh or mixture:THETA,S0,S1; MU, TAU, S0 "
                 "and S1\nin units of the coefficients' rms, MU and TAU 1 when left out; l4 when not given");
  c.remove_bias.option =
      app.add_flag("--remove-bias,!--keep-bias", c.remove_bias.value,
                   "Of msp: subtract the part of the step along A: fewer iterations (smooth stretches; default for "
                   "logcosh)");
  app.add_option("--theta", o.theta,
                 "Of msp: sparsity, if known: exact bias 12p theta^2 for l4, and the scale of whitening");
  app.add_option("--bias-fraction", o.bias_fraction, "Of msp: how much of the bias to remove, in (0, 1]")
      ->capture_default_str();
  app.add_option("--step", o.step, "Of msp: step of projected gradient ascent; inf is match, stretch, project")
      ->capture_default_str();
}

void add_model_options(CLI::App& app, FitCommand* command) {
  FitCommand& c = *command;
  Options& o = c.options;
  app.add_option("--whiten", c.whiten,
                 describe_values<Whitening>("When left out as the dictionary demands, none for msp:"));
  c.center.option =
      app.add_flag("--center,!--no-center", c.center.value,
                   "Subtract the mean of the samples, or don't; when left out msp doesn't but for images, "
                   "auto does if it matters, and of the baselines\nfastica and pca do");
  app.add_option("--normalize", c.normalize, describe_values<Normalization>("For samples that differ in contrast:"))
      ->capture_default_str();
  add_number_of_atoms(app, &o.atoms,
                      "Atoms to learn, at most the rank of the data, or a share of the variance that they hold, as "
                      "0.99;\nwith whitening in as many leading principal components; all when left out");
  app.add_option(
      "--precision", c.precision,
      describe_values<Precision>("Arithmetic; when left out auto ends in f64, and msp takes mixed where single "
                                 "precision holds the samples:"));
  add_integer_option(app, "--max-iterations", &o.max_iterations,
                     "Iterations allowed; when left out 500 for msp and online, 200 for ksvd, and for each atom 200 "
                     "for\nfastica_deflation and 1000 for subgradient");
  app.add_option("--tolerance", c.options.tolerance,
                 "Stop when the root mean square change of an atom is at most this; when left out 1e-4 for auto and "
                 "1e-6\nfor the others");
  add_baseline_options(app, &c.parameters);
}

void add_run_options(CLI::App& app, FitCommand* command) {
  FitCommand& c = *command;
  Options& o = c.options;
  app.add_option("--time-limit", o.time_limit, "Seconds allowed");
  add_integer_option(app, "--seed", &o.seed, "64-bit seed of all that is random");
  add_integer_option(
      app, "--threads", &o.threads,
      "Threads to use; all cores when left out, shared fairly by ranks. The result doesn't depend on it");
  add_file_option(app, "--init", &c.init, "random, identity, or a file with a start, atoms in rows")
      ->capture_default_str();
}

void add_input_options(CLI::App& app, FitInput* input) {
  add_columns_flag(app, &input->columns);
  app.add_option("--raw", input->raw,
                 "The files are numbers without a header: TYPExFEATURES, as f32x100; this machine's byte order");
  add_integer_option(app, "--section", &input->section,
                     "Of standard input: samples to hold at a time, each section being seen once; when left out all "
                     "that\nthere is room for, or else, and with --raw, 4 million numbers");
  add_patch_options(app, &input->patches);
}

void add_checkpoint_options(CLI::App& app, FitCommand* command) {
  FitCommand& c = *command;
  Options& o = c.options;
  add_file_option(app, "--checkpoint", &o.checkpoint,
                  "Keep what was reached in this file, to go on from if the run is killed; of auto and msp");
  app.add_option("--checkpoint-every", c.checkpoint_every, "Seconds from one checkpoint to the next; 60 when left out");
  add_file_option(app, "--resume", &o.resume,
                  "Go on from this checkpoint, with the same samples and options, and keep it up to date");
}

}  // namespace

void add_fit(CLI::App& app, Run* run) {
  const auto command = std::make_shared<FitCommand>();
  FitCommand& c = *command;
  add_samples_option(app, &c.input);
  add_file_option(app, "--output", &c.output, "Where the model goes (.npz), or -");
  add_method_options(app, &c);
  add_model_options(app, &c);
  add_run_options(app, &c);
  add_input_options(app, &c.input);
  add_file_option(app, "--truth", &c.truth_path, "File with the true dictionary, atoms in rows: reports the error");
  add_checkpoint_options(app, &c);
  add_file_option(app, "--trace", &c.trace_path, "Write a line per iteration to this CSV file");
  add_json_flag(app, &c.json);
  app.add_flag("--verbose", c.verbose, "Print the full report, with every iteration");
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
