// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "command.h"
#include "interrupt.h"
#include "model/feature_names.h"
#include "names_in_tables.h"
#include "orthodict/error.h"
#include "orthodict/image.h"
#include "orthodict/io.h"
#include "orthodict/model.h"
#include "patch_input.h"
#include "progress.h"
#include "report/scan_file.h"

namespace orthodict::cli {
namespace {

struct Report {
  std::string model_path;
  std::string data;
  std::string output;
  std::string scan;
  std::optional<std::string> shape;
  PatchInput patches;
  bool columns = false;
  bool json = false;
  report::ReportOptions options;

  int run() {
    report::require_page();
    if (output != "-" && !output.ends_with(".html") && !output.ends_with(".htm")) {
      throw option_error("--output", output, "an HTML page: .html, .htm or -");
    }
    const Model model = load_model(model_path);
    options.model_name = model_path;
    if (options.title.empty()) options.title = model_path;
    if (shape) options.sample_shape = parse_extents("--shape", *shape);
    options.validate(model);
    if (!scan.empty()) options.scan = report::read_scan(scan);
    const auto samples = read_data(model);
    check_outputs({{"--output", output}}, {model_path, data, scan}, json);
    stop_on_interrupt();
    const Json contents = make_report(model, samples.get());
    const std::string page = report::render_page(contents);
    write_file(output_at(output), page);
    print(contents, page.size());
    return kDone;
  }

  [[nodiscard]] std::unique_ptr<Samples> read_data(const Model& model) const {
    if (!data.empty()) {
      const std::vector<Index> entries = shape ? options.sample_shape : sample_shape(model);
      auto samples = read_samples_or_patches(data, columns, patches, entries);
      if (!patches.patch) require_feature_names(model, feature_names_at(data, columns), data);
      return samples;
    }
    if (const std::string option = patches.given(); !option.empty()) {
      throw option_error(option, "given", "left out without --data");
    }
    return nullptr;
  }

  Json make_report(const Model& model, const Samples* samples) {
    Progress progress;
    options.progress = [&progress](const std::string& what, Index done, Index all) {
      if (interrupted()) throw Error(Fault::kStopped, "interrupted");
      progress.show_share(what, done, all);
    };
    return report::make_report(model, samples, options);
  }

  void print(const Json& contents, std::size_t bytes) const {
    const Json& samples = contents["data"];
    if (json) {
      const Json& coefficients = contents["coefficients"];
      print_json({{"atoms", contents["model"]["atoms"]},
                  {"dimension", contents["model"]["dimension"]},
                  {"sample_shape", contents["model"]["shape"]},
                  {"samples", samples.is_null() ? Json(nullptr) : samples["samples"]},
                  {"used", samples.is_null() ? Json(nullptr) : samples["used"]},
                  {"mixture", coefficients.is_null() ? Json(nullptr) : coefficients["mixture"]},
                  {"bytes", bytes},
                  {"output", output}});
    } else if (output != "-") {
      const std::string of_samples = samples.is_null() ? "no samples"
                                                       : fmt::format("{} of {} samples", samples["used"].get<Index>(),
                                                                     samples["samples"].get<Index>());
      fmt::print("{}: {} atoms, {}; {:.1f} MB\n", output, contents["model"]["atoms"].get<Index>(), of_samples,
                 static_cast<double>(bytes) / 1e6);
    }
  }
};

}  // namespace

void add_report(App& app, Run* run) {
  const auto command = std::make_shared<Report>();
  app.group_order({kSamplesGroup, kImagesGroup, kOutputGroup});
  app.begin_group(kOutputGroup);
  add_file_option(app, "model", &command->model_path, "Model from orthodict fit (.npz)")->required();
  add_file_option(app, "--data", &command->data,
                  "Show how the model represents these samples, in any format that orthodict fit reads, or - (default: "
                  "the model alone)")
      ->group(kSamplesGroup);
  add_file_option(app, "-o,--output", &command->output, "Write the page to this file: .html or -")->required();
  add_file_option(app, "--scan", &command->scan,
                  "Show this scan of numbers of atoms, the output of orthodict scan --json");
  app.add_option("--shape", command->shape,
                 "Shape of atoms and samples as pictures, such as 8x8, or 8x8x3 in colour (default: from the model or "
                 "the data)")
      ->value_name("HxW");
  add_integer_option(app, "--items", &command->options.items, "Number of samples to reconstruct");
  app.add_option("--title", command->options.title, "Title of the page (default: the model's name)");
  add_columns_flag(app, &command->columns);
  add_patch_options(app, &command->patches);
  add_json_flag(app, &command->json);
  app.examples({"orthodict report model.npz --data y.npy --output report.html",
                "orthodict report model.npz --scan scan.json --output report.html",
                "orthodict report patches.npz --data photo.png --output report.html"});
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
