// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "interrupt.h"
#include "orthodict/io.h"
#include "orthodict/model.h"

namespace orthodict::cli {
namespace {

struct Decode {
  std::string model_path;
  std::string input;
  std::string output;
  bool json = false;

  int run() {
    const Model model = load_model(model_path);
    const auto codes = read_samples(input);
    check_outputs({{"--output", output}}, json);
    stop_on_interrupt();
    const auto writer = open_row_writer(output, ElementType::kF64, codes->size(), model.dimension());
    for_each_block(codes->size(), "codes",
                   [&](Index first, Index count) { writer->append(decode(model, *codes, first, count)); });
    writer->commit();
    if (json) {
      print_json({{"dimension", model.dimension()}, {"samples", codes->size()}, {"output", output}});
    } else if (output != "-") {
      fmt::print("{}: {} samples of {} features\n", output, codes->size(), model.dimension());
    }
    return kDone;
  }
};

}  // namespace

void add_decode(CLI::App& app, Run* run) {
  const auto command = std::make_shared<Decode>();
  app.add_option("model", command->model_path, "Model from orthodict fit (.npz)")->required();
  app.add_option("codes", command->input,
                 "Codes from orthodict encode, dense or sparse, or - for .npy on standard input")
      ->required();
  add_output_option(app, "--output", &command->output, "Where the samples go: .npy, .csv, .tsv or -")->required();
  add_json_flag(app, &command->json);
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
