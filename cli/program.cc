// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "command.h"
#include "cut_off_file.h"
#include "exit_code.h"
#include "interrupt.h"
#include "launch.h"
#include "orthodict/error.h"
#include "orthodict/version.h"

namespace orthodict::cli {
namespace {

// Raises the limit on open files as far as the system allows: samples may be in a thousand files.
void allow_many_files() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int run_program(int argc, char** argv) {
  end_on_interrupt();
  end_on_cut_off_file();
  ignore_file_size_signal();
  allow_many_files();
  App app("orthodict", ORTHODICT_VERSION,
          "Learns sparsifying dictionaries by match, stretch, project: A <- polar(phi'(AY) Y^T).");
  app.overview(
      "orthodict learns sparsifying dictionaries from samples in rows.\n"
      "\n"
      "  learn a dictionary            orthodict fit samples.npy -o model.npz\n"
      "  say how many atoms there are  orthodict scan samples.npy --atoms 20:100:20\n"
      "  encode samples with it        orthodict encode model.npz samples.npy --top 5 -o codes.npy\n"
      "  look at what was learned      orthodict report model.npz --data samples.npy -o report.html\n"
      "  remove noise from a picture   orthodict denoise photo.png -o clean.png\n"
      "\n"
      "orthodict --help lists all commands, orthodict help COMMAND the options of one.\n");
  // Inherited by the commands.
  app.footer(
      "Rows of files are samples.\n"
      "Exit codes: 0 done, 2 bad usage or option, 3 bad data or file, 4 finished without converging or without finding "
      "structure, 130 interrupted.");
  app.examples({"orthodict synth --samples 20000 --output y.npy --truth d.npy",
                "orthodict fit y.npy --truth d.npy --output model.npz"});

  Run run;
  add_synth(*app.add_subcommand("synth", "Generate sparse data Y = D X with a known dictionary"), &run);
  add_fit(*app.add_subcommand("fit", "Learn a dictionary from samples"), &run);
  add_scan(*app.add_subcommand("scan", "Try several numbers of atoms and recommend one"), &run);
  add_compare(*app.add_subcommand("compare", "Learn with several methods and print a table of results"), &run);
  add_encode(*app.add_subcommand("encode", "Turn samples into sparse codes"), &run);
  add_decode(*app.add_subcommand("decode", "Turn codes back into samples"), &run);
  add_eval(*app.add_subcommand("eval", "Compare a model with a known dictionary"), &run);
  add_info(*app.add_subcommand("info", "Show the shape and metadata of a model"), &run);
  add_atoms(*app.add_subcommand("atoms", "Draw the atoms of a model as pictures"), &run);
  add_denoise(*app.add_subcommand("denoise", "Remove noise from an image with a transform learned from it"), &run);
  add_report(*app.add_subcommand("report", "Write an HTML page that shows what was learned"), &run);
  add_document(*app.add_subcommand("document", "Write manual pages and completions"), app, &run);
  const Run run_fit_on_ranks = [&] {
    if (launch().ranks > 1 && app.given_subcommand() != "fit") {
      throw Error(Fault::kOption, fmt::format("{} runs in one process, not on {} ranks: only fit does "
                                              "(ORTHODICT_ALONE=1 in the environment runs each on its own)",
                                              app.given_subcommand(), launch().ranks));
    }
    return run();
  };
  return parse_and_run(app, argc, argv, &run_fit_on_ranks);
}

}  // namespace orthodict::cli
