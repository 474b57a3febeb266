// SPDX-License-Identifier: Apache-2.0
// What a program takes on its command line. CLI11 parses it, behind this header: a file that includes CLI11 takes
// seconds to compile.
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
  Option* excludes(const std::string& other);
  // Several values in one word.
  Option* separated_by(char separator);
  // `fault` says what is wrong with a text, or nothing.
  Option* check(const std::function<std::string(const std::string& text)>& fault);
  // Shows what the variable holds now as the default.
  Option* capture_default_str();
  Option* default_str(const std::string& text);
  [[nodiscard]] bool is_given() const;

 private:
  CLI::Option* option_;
};

// What --help says, for manual pages and completions.
struct OptionText {
  std::vector<std::string> names;  // "--output"; of a positional what stands for it
  std::string value;               // what stands for its value; empty for a flag
  std::string help;
  std::string default_value;
  std::string group;
  bool is_positional = false;
  bool is_required = false;

  // Names in the lines "  NAME: …" of `help`: the values that it can have, as far as these are words.
  [[nodiscard]] std::vector<std::string> choices() const;
};
struct CommandText {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

// A program, or one of its commands.
class App {
 public:
  App(const std::string& name, const std::string& version, const std::string& help);
  explicit App(CLI::App* command);
  App(const App&) = delete;
  App& operator=(const App&) = delete;
  ~App();

  // What follows the list of options in --help.
  void footer(const std::string& text);
  [[nodiscard]] std::string name() const;

  // A program that has commands demands one of them.
  App* add_subcommand(const std::string& name, const std::string& help);
  // Leaves it out of --help and text().
  void hide();
  // The command that was given.
  [[nodiscard]] std::string given_subcommand() const;
  // Called when the command line is parsed and this is the given command.
  void callback(const std::function<void()>& call);

  // Value: a string, double or integer, std::optional of these, or a vector of strings. Of integers, those that Value
  // can't hold are refused rather than wrapped or clamped.
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

  // An exit code where there is nothing to do: help was asked for, or the command line is wrong.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

 private:
  Option* keep(CLI::Option* option);

  std::unique_ptr<CLI::App> program_;
  CLI::App* app_;
  std::deque<App> commands_;
  std::deque<Option> options_;
};

}  // namespace orthodict::cli
