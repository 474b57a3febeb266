// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "interrupt.h"
#include "orthodict/io.h"
#include "orthodict/model.h"
#include "progress.h"

namespace orthodict::cli {
namespace {

struct Decode {
  std::string model_path;
  std::string input;
  std::string output;
  bool json = false;

  int run() {
    require_stdout_free(json, "--output", output);
    const Model model = load_model(model_path);
    const auto codes = read_samples(input, /*columns=*/false);
    const auto writer = open_row_writer(output, ElementType::kF64, codes->size(), model.dimension());
    constexpr Index kBlock = 1024;
    {
      Progress progress;
      for (Index first = 0; first < codes->size(); first += kBlock) {
        if (interrupted()) return kInterrupted;
        writer->append(decode(model, *codes, first, std::min(kBlock, codes->size() - first)));
        progress.show_share("codes", first, codes->size());
      }
    }
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
  app.add_option("codes", command->input, "Codes from orthodict encode, dense or sparse, or -")->required();
  app.add_option("--output", command->output, "Where the samples go: .npy, .csv, .tsv or -")->required();
  add_json_flag(app, &command->json);
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
