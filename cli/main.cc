// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "command.h"
#include "interrupt.h"
#include "orthodict/error.h"
#include "orthodict/version.h"

namespace orthodict::cli {
namespace {

int complain(const std::string& message, int code) {
  fmt::print(stderr, "orthodict: {}\n", message);
  return code;
}

int exit_code(Fault fault) {
  switch (fault) {
    case Fault::kOption:
      return kBadUsage;
    case Fault::kStopped:
      return kInterrupted;
    case Fault::kData:
      break;
  }
  return kBadData;
}

// The one place where faults become exit codes.
int run_safely(const Run& run) {
  try {
    const int code = run();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return complain(fmt::format("standard output: {}", std::strerror(errno)), kBadData);
    }
    return code;
  } catch (const Error& error) {
    return complain(error.what(), exit_code(error.fault()));
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", kBadData);
  } catch (const std::exception& error) {
    return complain(error.what(), kBadData);
  }
}

int main(int argc, char** argv) {
  end_on_interrupt();
  CLI::App app{"Learns sparsifying dictionaries by match, stretch, project: A <- polar(phi'(AY) Y^T)."};
  app.name("orthodict");
  app.set_version_flag("--version", "orthodict " ORTHODICT_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Rows are samples in every file. orthodict COMMAND --help tells more.\n"
      "Exit codes: 0 done, 2 bad usage or option, 3 bad data or file, 4 finished without converging or without finding "
      "structure, 130 interrupted.");

  Run run;
  add_synth(*app.add_subcommand("synth", "Make sparse data Y = D X with a known dictionary"), &run);
  add_fit(*app.add_subcommand("fit", "Learn a dictionary from samples"), &run);
  add_encode(*app.add_subcommand("encode", "Turn samples into sparse codes"), &run);
  add_decode(*app.add_subcommand("decode", "Turn codes back into samples"), &run);
  add_eval(*app.add_subcommand("eval", "Compare a model with a known dictionary"), &run);
  add_info(*app.add_subcommand("info", "Show what a model is and how it was made"), &run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::RequiredError& error) {
    const bool word_given = argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-';
    if (word_given) return complain(fmt::format("unknown command {} (see --help)", argv[1]), kBadUsage);
    return complain(fmt::format("{} (see --help)", error.what()), kBadUsage);
  } catch (const CLI::ParseError& error) {
    return complain(fmt::format("{} (see --help)", error.what()), kBadUsage);
  }
  return run_safely(run);
}

}  // namespace
}  // namespace orthodict::cli

int main(int argc, char** argv) { return orthodict::cli::main(argc, argv); }
