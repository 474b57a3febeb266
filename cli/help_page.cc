// SPDX-License-Identifier: Apache-2.0
#include "help_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <vector>

namespace orthodict::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kHelpColumn = 26;

// Breaks a line of text between words; lines after the first are indented by `indent` more than the first, which begins
// in column `begin`.
std::string wrapped_line(const std::string& line, std::size_t begin, std::size_t indent) {
  const std::size_t words_begin = line.find_first_not_of(' ');
  if (words_begin == std::string::npos) return "";
  std::string text = line.substr(0, words_begin);
  std::size_t column = begin + words_begin;
  const std::size_t margin = column + indent;
  std::istringstream words(line);
  std::string word;
  words >> word;
  text += word;
  column += word.size();
  while (words >> word) {
    if (column + 1 + word.size() > kWidth) {
      text += '\n' + std::string(margin, ' ');
      column = margin;
    } else {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t begin) {
  std::string wrapped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!wrapped.empty()) wrapped += '\n' + std::string(begin, ' ');
    const bool is_item = line.starts_with("  ");
    wrapped += wrapped_line(line, begin, is_item ? 2 : 0);
  }
  return wrapped;
}

// "  name  help", the help in a column of its own.
std::string entry(const std::string& name, const std::string& help) {
  std::string text = "  " + name;
  const bool fits = text.size() + 2 <= kHelpColumn;
  text += fits ? std::string(kHelpColumn - text.size(), ' ') : '\n' + std::string(kHelpColumn, ' ');
  return text + wrapped(help, kHelpColumn) + '\n';
}

std::string entry(const OptionText& option) {
  const std::string value = option.value.empty() ? "" : " " + option.value;
  return entry(fmt::format("{}", fmt::join(option.names, ", ")) + (option.is_positional ? "" : value),
               option.help_with_default());
}

std::string usage(const CommandText& command, const std::string& invocation) {
  std::string text = "Usage: " + invocation + (command.commands.empty() ? "" : " COMMAND");
  for (const OptionText& option : command.options) {
    if (option.is_positional) text += " " + option.names.back() + (option.takes_many ? "..." : "");
  }
  for (const OptionText& option : command.options) {
    if (!option.is_positional && option.is_required) text += " " + option.names.back() + " " + option.value;
  }
  return text + " [OPTIONS]\n";
}

std::string positionals(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.is_positional) text += entry(option);
  }
  return text.empty() ? "" : "\n" + text;
}

std::string options(const CommandText& command) {
  std::string text;
  for (const OptionGroup& group : command.option_groups()) {
    text += fmt::format("\n{}:\n", group.name);
    for (const OptionText& option : group.options) text += entry(option);
  }
  return text;
}

std::string commands(const CommandText& program, const std::string& invocation) {
  if (program.commands.empty()) return "";
  std::string text = "\nCommands:\n";
  for (const CommandText& command : program.commands) text += entry(command.name, command.help);
  return text + fmt::format("\n{} help COMMAND lists the options of a command.\n", invocation);
}

std::string examples(const CommandText& command) {
  if (command.examples.empty()) return "";
  return fmt::format("\nExamples:\n  {}\n", fmt::join(command.examples, "\n  "));
}

}  // namespace

std::string help_page(const CommandText& command, const std::string& invocation) {
  return wrapped(command.help, 0) + "\n\n" + usage(command, invocation) + commands(command, invocation) +
         positionals(command) + options(command) +
         (command.footer.empty() ? "" : "\n" + wrapped(command.footer, 0) + "\n") + examples(command);
}

}  // namespace orthodict::cli
