// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "interrupt.h"
#include "orthodict/coder.h"
#include "orthodict/complex.h"
#include "orthodict/encoder.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/model.h"
#include "orthodict/table.h"
#include "patch_input.h"

namespace orthodict::cli {
namespace {

constexpr Index kBlock = 8192;  // samples at a time: enough for all threads

struct Encode {
  std::string model_path;
  std::string input;
  std::string output;
  EncodeOptions options;
  std::optional<std::string> coder;
  PatchInput patches;
  bool dense = false;
  bool sparse = false;
  bool columns = false;
  bool json = false;

  int run() {
    check_options();
    const Model model = load_model(model_path);
    options.validate(model.atoms());
    if (sparse && model.is_complex) throw option_error("--sparse", "given", "left out for a complex model");
    const auto samples = read_samples_or_patches(input, columns, patches, sample_shape(model));
    check_outputs({{"--output", output}}, {model_path, input}, json);
    stop_on_interrupt();
    const auto writer =
        sparse ? open_sparse_writer(output_at(output), samples->size(), model.atoms())
               : open_table_writer(output_at(output), model.is_complex ? ElementType::kC128 : ElementType::kF64,
                                   samples->size(), model.atoms(), names_of_codes(samples->size(), model.atoms()));
    const Encoder encoder(model, *samples, options);
    Index kept = 0;
    for_each_block(
        samples->size(), "samples",
        [&](Index first, Index count) {
          const RowMatrix<double> codes = encoder.encode(*samples, first, count);
          kept += model.is_complex ? (as_complex(codes).array() != 0.0).count() : (codes.array() != 0).count();
          writer->append(codes);
        },
        kBlock);
    writer->commit();
    report(model.atoms(), samples->size(), kept);
    return kDone;
  }

  void check_options() {
    if (dense && (options.top || options.threshold || options.refit || sparse)) {
      throw option_error("--dense", "given",
                         "left out with --top, --threshold, --refit or --sparse: it keeps every coefficient");
    }
    if (dense) options.coder = Coder::kDense;
    if (!coder) return;
    if (dense || options.top || options.threshold) {
      throw option_error("--coder", *coder, "left out with --dense, --top or --threshold, which name one");
    }
    const EncodeOptions given = options;
    options = parse_coder("--coder", *coder);
    options.refit = given.refit;
    options.error = given.error;
    options.threads = given.threads;
  }

  // Where samples have names and codes go to a text file, they have the same names, and atoms their numbers.
  [[nodiscard]] TableNames names_of_codes(Index samples, Index atoms) const {
    const bool is_text = output.ends_with(".csv") || output.ends_with(".tsv");
    if (!is_text || is_standard_stream(input) || patches.patch) return {};
    TableNames found = read_table_names(input);
    TableNames names{.rows = std::move(columns ? found.columns : found.rows), .corner = "sample"};
    if (static_cast<Index>(names.rows.size()) != samples) return {};
    if (!columns && !found.corner.empty()) names.corner = std::move(found.corner);
    for (Index atom = 0; atom < atoms; ++atom) names.columns.push_back(fmt::format("atom{}", atom));
    return names;
  }

  void report(Index atoms, Index samples, Index kept) const {
    if (json) {
      print_json({{"atoms", atoms}, {"samples", samples}, {"nonzeros", kept}, {"output", output}});
    } else if (output != "-") {
      const double mean = samples == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(samples);
      fmt::print("{}: {} codes, {:.3g} of {} coefficients each\n", output, samples, mean, atoms);
    }
  }
};

}  // namespace

void add_encode(App& app, Run* run) {
  constexpr const char* kCoefficientsGroup = "Coefficients to keep";
  const auto command = std::make_shared<Encode>();
  app.group_order({kSamplesGroup, kImagesGroup, kCoefficientsGroup, kOutputGroup});
  app.begin_group(kOutputGroup);
  add_file_option(app, "model", &command->model_path, "Model from orthodict fit (.npz)")->required();
  add_file_option(app, "samples", &command->input,
                  "Samples to encode: one file in any format that orthodict fit reads, or -")
      ->required();
  add_file_option(app, "--output", &command->output,
                  "Write the codes to this file: .npy, .csv, .tsv or -; with --sparse .npz or -")
      ->required();
  app.begin_group(kCoefficientsGroup);
  app.add_option("--coder", command->coder,
                 "How codes are found, by default auto:"
                 "\n  dense: all products with the model's analysis"
                 "\n  top:K: the K largest of these"
                 "\n  threshold:T: those of at least T in absolute value"
                 "\n  omp:K: orthogonal matching pursuit of K atoms; omp: until the rest is like noise"
                 "\n  lasso:L: an l1 penalty of L, in units of the samples' rms"
                 "\n  auto: the coder that the model names, else dense, or omp without an analysis");
  add_integer_option(app, "--top", &command->options.top,
                     "Keep this many of the largest coefficients of each code, as --coder top:K");
  app.add_option("--threshold", command->options.threshold,
                 "Keep coefficients of at least this absolute value; with --top, both conditions apply");
  app.add_flag("--refit", command->options.refit, "Compute the coefficients that are kept anew, by least squares");
  app.add_option("--error", command->options.error,
                 "With --coder omp: take atoms until the rms of the residual is at most this, in units of the samples' "
                 "rms");
  app.add_flag("--dense", command->dense, "Keep every coefficient, as --coder dense");
  add_integer_option(app, "--threads", &command->options.threads, "Number of threads; the result doesn't depend on it");
  app.begin_group(kOutputGroup);
  app.add_flag("--sparse", command->sparse,
               "Write compressed sparse rows, which scipy.sparse.load_npz and orthodict decode read");
  add_columns_flag(app, &command->columns);
  add_patch_options(app, &command->patches);
  add_json_flag(app, &command->json);
  app.examples({"orthodict encode model.npz y.npy --top 5 --output codes.npy",
                "orthodict encode patches.npz photo.png --stride 8 --top 8 --sparse --output codes.npz"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
