// SPDX-License-Identifier: Apache-2.0
// Command-line parsing. This header hides CLI11, which takes seconds to compile.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace orthodict::cli {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required();
  // Its heading in --help.
  Option* group(const std::string& name);
  Option* excludes(const std::string& other);
  // One argument holds several values.
  Option* separated_by(char separator);
  // `fault` returns an error message, or an empty string for a legal value.
  Option* check(const std::function<std::string(const std::string& text)>& fault);
  // Shows the variable's present value as the default.
  Option* capture_default_str();
  Option* default_str(const std::string& text);
  // What stands for the value in --help: "FILE".
  Option* value_name(const std::string& name);
  [[nodiscard]] bool is_given() const;

 private:
  CLI::Option* option_;
};

// The text of --help, manual pages and completions.
struct OptionText {
  std::vector<std::string> names;  // "--output"; "samples" if positional
  std::string value;               // placeholder of its value; empty for a flag
  std::string help;                // a paragraph, and perhaps lines "  NAME: …", one per legal value
  std::string default_value;
  std::string group;  // the heading it is listed under
  bool is_positional = false;
  bool is_required = false;
  bool takes_many = false;

  // The NAMEs in `help` that are plain words, for completion.
  [[nodiscard]] std::vector<std::string> choices() const;
  // `help` with "(required)" or "(default: …)" at the end of its paragraph.
  [[nodiscard]] std::string help_with_default() const;
};
struct OptionGroup {
  std::string name;
  std::vector<OptionText> options;
};
struct CommandText {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<std::string> examples;  // complete command lines
  std::vector<OptionText> options;    // in the order of their groups
  std::vector<CommandText> commands;

  // Options that aren't positional, by group.
  [[nodiscard]] std::vector<OptionGroup> option_groups() const;
};

// A program, or one of its commands.
class App {
 public:
  App(const std::string& name, const std::string& version, const std::string& help);
  explicit App(CLI::App* command);
  App(const App&) = delete;
  App& operator=(const App&) = delete;
  ~App();

  // What the program prints without arguments.
  void overview(const std::string& text) { overview_ = text; }
  // Notes that follow the list of options in --help.
  void footer(const std::string& text);
  // Command lines that end --help.
  void examples(const std::vector<std::string>& commands);
  // The order of headings in --help. Other headings follow, in the order of their first options.
  void group_order(const std::vector<std::string>& groups);
  // The heading of all options that are added from here on, except those that get one of their own.
  void begin_group(const std::string& group);
  [[nodiscard]] std::string name() const;

  // Makes a subcommand mandatory.
  App* add_subcommand(const std::string& name, const std::string& help);
  // Omits this command from --help and text().
  void hide();
  // The name of the subcommand on the command line.
  [[nodiscard]] std::string given_subcommand() const;
  // Calls `call` after parsing if this command was given.
  void callback(const std::function<void()>& call);

  // Value: a string, double or integer, std::optional of these, or a vector of strings. Integers that are out of range
  // for Value are errors.
  template <typename Value>
  Option* add_option(const std::string& name, Value& value, const std::string& help);
  // `take` may throw Error.
  Option* add_option_function(const std::string& name, const std::function<void(const std::string&)>& take,
                              const std::string& help);
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  // "--name,!--no-name".
  Option* add_switch(const std::string& names, const std::function<void(bool)>& set, const std::string& help);
  [[nodiscard]] Option* get_option(const std::string& name);

  [[nodiscard]] CommandText text() const;

  // "help COMMAND" is "COMMAND --help". Returns an exit code if there is nothing left to do: help was asked for, or the
  // command line is invalid.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

 private:
  Option* keep(CLI::Option* option);
  [[nodiscard]] std::optional<int> parse_words(int argc, char** argv);
  // Messages, with the name that was perhaps meant.
  [[nodiscard]] std::string unknown_command(const std::string& word) const;
  [[nodiscard]] std::string unknown_arguments(const std::string& message) const;
  void use_help_page();

  std::unique_ptr<CLI::App> program_;
  CLI::App* app_;
  std::deque<App> commands_;
  std::deque<Option> options_;
  std::string overview_;
  std::vector<std::string> examples_;
  std::vector<std::string> group_order_;
  std::string group_ = "Options";
};

}  // namespace orthodict::cli
