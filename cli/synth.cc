// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "interrupt.h"
#include "orthodict/error.h"
#include "orthodict/fit.h"
#include "orthodict/io.h"
#include "orthodict/synthetic.h"

namespace orthodict::cli {
namespace {

struct Synth {
  SyntheticOptions options;
  std::string dictionary_from;
  std::string output;
  std::string truth;
  std::string precision = "f64";
  bool json = false;

  int run() {
    const bool single = parse_name<Precision>("precision", precision) == Precision::kF32;
    const ElementType exact = options.is_complex ? ElementType::kC128 : ElementType::kF64;
    const ElementType type = !single ? exact : options.is_complex ? ElementType::kC64 : ElementType::kF32;
    if (!dictionary_from.empty()) {
      options.dictionary = dictionary_in(read_array_at(dictionary_from), options.is_complex);
    }
    options.validate();
    check_outputs({{"--output", output}, {"--truth", truth}}, {}, json);
    stop_on_interrupt();

    const Synthetic data(options);
    const auto writer = open_row_writer(output_at(output), type, options.samples, options.dimension);
    const auto truth_writer =
        truth.empty() ? nullptr : open_row_writer(output_at(truth), exact, data.dictionary().rows(), options.dimension);
    for_each_block(options.samples, "samples",
                   [&](Index first, Index count) { writer->append(data.samples(first, count)); });
    writer->commit();
    if (truth_writer) {
      truth_writer->append(data.dictionary());
      truth_writer->commit();
    }
    report(data.dictionary().rows());
    return kDone;
  }

  void report(Index atoms) const {
    if (json) {
      print_json({{"dimension", options.dimension},
                  {"samples", options.samples},
                  {"atoms", atoms},
                  {"theta", options.nonzeros ? Json(nullptr) : Json(options.theta)},
                  {"nonzeros", options.nonzeros ? Json(*options.nonzeros) : Json(nullptr)},
                  {"frequencies", options.frequencies},
                  {"signs", options.signs},
                  {"complex", options.is_complex},
                  {"condition", options.condition},
                  {"noise", options.noise},
                  {"outliers", options.outliers},
                  {"corruption", options.corruption},
                  {"seed", options.seed},
                  {"output", output},
                  {"truth", truth.empty() ? Json(nullptr) : Json(truth)}});
    } else if (output != "-" && truth != "-") {
      const std::string sparsity = options.nonzeros ? fmt::format("{} of {} atoms each", *options.nonzeros, atoms)
                                                    : fmt::format("theta {}", options.theta);
      fmt::print("{}: {} samples of {} features, {}, seed {}\n", output, options.samples, options.dimension, sparsity,
                 options.seed);
    }
  }
};

}  // namespace

void add_synth(App& app, Run* run) {
  const auto synth = std::make_shared<Synth>();
  SyntheticOptions& o = synth->options;
  app.begin_group(kSamplesGroup);
  add_integer_option(app, "--dimension", &o.dimension, "Number of features, n");
  add_integer_option(app, "--samples", &o.samples, "Number of samples, p");
  app.add_option("--theta", o.theta, "Share of nonzero coefficients, in (0, 1]")->capture_default_str();
  add_integer_option(app, "--atoms", &o.atoms, "Atoms of D; n when left out, else Gaussian at unit norm");
  app.add_option("--nonzeros", o.nonzeros, "Nonzeros of every code, instead of --theta")->excludes("--theta");
  app.add_option("--frequencies", o.frequencies,
                 "With --nonzeros: atom i is drawn in proportion to i^-S, S a multiple of 0.5")
      ->capture_default_str();
  app.add_flag("--signs", o.signs, "Coefficients are +-1 instead of normal");
  app.add_flag("--complex", o.is_complex, "Complex samples: D is unitary, coefficients and noise are circular normal");
  app.add_option("--condition", o.condition, "Condition number of D; 1 gives an orthogonal D")->capture_default_str();
  app.add_option("--noise", o.noise, "Standard deviation of Gaussian noise on every entry")->capture_default_str();
  app.add_option("--outliers", o.outliers, "Share of samples replaced by N(0, I)")->capture_default_str();
  app.add_option("--corruption", o.corruption, "Share of entries to which +-1 is added")->capture_default_str();
  add_integer_option(app, "--seed", &o.seed, "Seed, a 64-bit integer; equal seeds give equal files on every platform");
  add_file_option(app, "--dictionary-from", &synth->dictionary_from,
                  "Use the dictionary in this file, atoms in rows, instead of a random one")
      ->excludes("--condition");
  app.begin_group(kOutputGroup);
  add_file_option(app, "-o,--output", &synth->output, "Write the samples to this file: .npy, .csv, .tsv or - (.npy)")
      ->required();
  add_file_option(app, "--truth", &synth->truth, "Write D to this file, atoms in rows: .npy, .csv or .tsv");
  app.add_option("--precision", synth->precision,
                 "Number type of the file: f32 or f64; of real and imaginary parts with --complex")
      ->capture_default_str()
      ->value_name("NAME");
  add_json_flag(app, &synth->json);
  app.examples({"orthodict synth --dimension 50 --samples 20000 --seed 1 --output y.npy --truth d.npy",
                "orthodict synth --condition 100 --noise 0.01 --output noisy.npy",
                "orthodict synth --dimension 20 --atoms 50 --nonzeros 3 --output y.npy --truth d.npy",
                "orthodict synth --complex --output z.npy --truth d.npy"});
  app.callback([synth, run] { *run = [synth] { return synth->run(); }; });
}

}  // namespace orthodict::cli
