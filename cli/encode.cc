// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "interrupt.h"
#include "model/feature_names.h"
#include "names_in_tables.h"
#include "orthodict/code_statistics.h"
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
constexpr const char* kThreshold = "--threshold";

// A list, with null for what isn't finite.
Json json_of(const Vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  return list;
}

struct Encode {
  std::string model_path;
  std::string input;
  std::string output;
  EncodeOptions options;
  std::optional<std::string> coder;
  std::optional<std::string> threshold;
  std::optional<Thresholding> thresholding;
  bool unit_variance = false;
  PatchInput patches;
  bool dense = false;
  bool sparse = false;
  bool columns = false;
  bool json = false;

  int run() {
    parse_threshold();
    check_options();
    const Model model = load_model(model_path);
    options.validate(model.atoms());
    if (sparse && model.is_complex) throw option_error("--sparse", "given", "left out for a complex model");
    const auto samples = read_samples_or_patches(input, columns, patches, sample_shape(model));
    if (!patches.patch) require_feature_names(model, feature_names_at(input, columns), input);
    check_outputs({{"--output", output}}, {model_path, input}, json);
    stop_on_interrupt();
    const auto writer =
        sparse ? open_sparse_writer(output_at(output), samples->size(), model.atoms())
               : open_table_writer(output_at(output), model.is_complex ? ElementType::kC128 : ElementType::kF64,
                                   samples->size(), model.atoms(), names_of_codes(samples->size(), model.atoms()));
    const Encoder encoder(model, *samples, options);
    const Finish finish = finish_for(model, *samples);
    Index kept = 0;
    for_each_block(
        samples->size(), "samples",
        [&](Index first, Index count) {
          RowMatrix<double> codes = encoder.encode(*samples, first, count);
          finish.apply(&codes);
          kept += model.is_complex ? (as_complex(codes).array() != 0.0).count() : (codes.array() != 0).count();
          writer->append(codes);
        },
        kBlock);
    writer->commit();
    report(model.atoms(), samples->size(), kept, finish);
    return kDone;
  }

  // What is done to codes, atom by atom, once all samples are known. Empty where it isn't asked for.
  struct Finish {
    Vector<double> thresholds;  // in units of the codes that are written
    Vector<double> factors;

    void apply(RowMatrix<double>* codes) const {
      if (factors.size() > 0) *codes *= factors.asDiagonal();
      if (thresholds.size() > 0) keep_above(thresholds, codes);
    }
  };
  [[nodiscard]] Finish finish_for(const Model& model, const Samples& samples) const {
    Finish finish;
    if (thresholding) finish.thresholds = atom_thresholds(model, samples, *thresholding, options.threads);
    if (!unit_variance) return finish;
    const Vector<double> deviation = code_statistics(model, samples, options).deviation;
    finish.factors = deviation.unaryExpr([](double one) { return one > 0 ? 1 / one : 1; });
    if (thresholding) finish.thresholds = finish.thresholds.cwiseProduct(finish.factors);
    return finish;
  }

  // A number is for all atoms; a rule finds one for each.
  void parse_threshold() {
    if (!threshold) return;
    double number = 0;
    const char* const last = threshold->data() + threshold->size();
    const auto [end, error] = std::from_chars(threshold->data(), last, number);
    if (error == std::errc{} && end == last) {
      options.threshold = number;
      return;
    }
    thresholding = parse_thresholding(kThreshold, *threshold);
  }

  void check_options() {
    if (dense && (options.top || threshold || options.refit || sparse)) {
      throw option_error("--dense", "given",
                         "left out with --top, --threshold, --refit or --sparse: it keeps every coefficient");
    }
    if (thresholding && (options.top || options.refit)) {
      throw option_error(kThreshold, *threshold, "a number with --top or --refit");
    }
    if (dense || thresholding) options.coder = Coder::kDense;
    if (!coder) return;
    if (dense || options.top || threshold) {
      throw option_error("--coder", *coder, "left out with --dense, --top or --threshold, which name one");
    }
    const EncodeOptions given = options;
    options = parse_coder("--coder", *coder);
    options.refit = given.refit;
    options.error = given.error;
    options.threads = given.threads;
  }

  [[nodiscard]] TableNames names_of_codes(Index samples, Index atoms) const {
    return patches.patch ? TableNames{} : names_for_rows(input, columns, output, samples, {}, atoms, "atom");
  }

  void report(Index atoms, Index samples, Index kept, const Finish& finish) const {
    if (json) {
      Json answer = {{"atoms", atoms}, {"samples", samples}, {"nonzeros", kept}, {"output", output}};
      if (thresholding) answer["thresholds"] = json_of(finish.thresholds);
      print_json(answer);
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
  add_file_option(app, "-o,--output", &command->output,
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
  app.add_option(kThreshold, command->threshold,
                 "Keep coefficients of at least this absolute value; with --top, both conditions apply. Or a rule that "
                 "finds a threshold for each atom from all samples:"
                 "\n  k2: takes the largest coefficients, until D'Agostino's K^2 of the others is below 550"
                 "\n  k2:CUTOFF: the same with another cutoff"
                 "\n  mixture: those that a mixture of two normal distributions ascribes to the wider one")
      ->value_name("LEVEL");
  app.add_flag("--refit", command->options.refit, "Compute the coefficients that are kept anew, by least squares");
  app.add_option("--error", command->options.error,
                 "With --coder omp: take atoms until the rms of the residual is at most this, in units of the samples' "
                 "rms");
  app.add_flag("--dense", command->dense, "Keep every coefficient, as --coder dense");
  add_integer_option(app, "--threads", &command->options.threads, "Number of threads; the result doesn't depend on it");
  app.begin_group(kOutputGroup);
  app.add_flag("--unit-variance", command->unit_variance,
               "Divide the coefficients of each atom by their standard deviation over these samples");
  app.add_flag("--sparse", command->sparse,
               "Write compressed sparse rows, which scipy.sparse.load_npz and orthodict decode read");
  add_columns_flag(app, &command->columns);
  add_patch_options(app, &command->patches);
  add_json_flag(app, &command->json);
  app.examples({"orthodict encode model.npz y.npy --top 5 --output codes.npy",
                "orthodict encode model.npz y.npy --coder omp:5 --sparse --output codes.npz",
                "orthodict encode model.npz y.npy --threshold k2 --unit-variance --output members.csv",
                "orthodict encode patches.npz photo.png --stride 8 --top 8 --sparse --output codes.npz"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
