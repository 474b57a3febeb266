// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include "command.h"
#include "completion.h"
#include "manual.h"
#include "orthodict/output.h"

namespace orthodict::cli {
namespace {

struct Document {
  const App& program;
  std::string output;

  int run() const {
    const CommandText text = program.text();
    const std::filesystem::path folder = output;
    std::filesystem::create_directories(folder);
    const auto write = [&](const std::string& name, const std::string& contents) {
      write_file((folder / name).string(), contents);
    };
    write(text.name + ".1", manual_page(text));
    for (const CommandText& command : text.commands) {
      write(text.name + "-" + command.name + ".1", manual_page(command, text));
    }
    write(text.name + ".bash", bash_completion(text));
    write("_" + text.name, zsh_completion(text));
    write(text.name + ".fish", fish_completion(text));
    return kDone;
  }
};

}  // namespace

void add_document(App& app, const App& program, Run* run) {
  const auto command = std::make_shared<Document>(Document{program, {}});
  app.hide();
  app.add_option("output", command->output, "Folder of the files")->required();
  app.callback([command, run] { *run = [command] { return command->run(); }; });
}

}  // namespace orthodict::cli
