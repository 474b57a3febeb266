// SPDX-License-Identifier: Apache-2.0
#include "manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "orthodict/version.h"

namespace orthodict::cli {
namespace {

// Escapes everything that troff would interpret; keeps line breaks.
std::string literal(const std::string& text) {
  std::string escaped;
  bool starts_line = true;
  for (const char c : text) {
    if (starts_line && (c == '.' || c == '\'')) escaped += "\\&";
    starts_line = c == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\n') {
      escaped += "\n.br\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string title(const std::string& name, const std::string& help) {
  return fmt::format(".TH {} 1 \"\" \"orthodict {}\" \"orthodict\"\n.SH NAME\n{} \\- {}\n", upper(literal(name)),
                     ORTHODICT_VERSION, literal(name), literal(help));
}

std::string section(const std::string& name, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}\n", name, literal(text));
}

std::string entry(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + literal(name) + "\\fR";
  if (!option.value.empty() && !option.is_positional) names += " \\fI" + literal(option.value) + "\\fR";
  return fmt::format(".TP\n{}\n{}\n", names, literal(option.help_with_default()));
}

std::string options_of(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.is_positional) text += (text.empty() ? ".SH ARGUMENTS\n" : "") + entry(option);
  }
  for (const OptionGroup& group : command.option_groups()) {
    text += fmt::format(".SH {}\n", upper(literal(group.name)));
    for (const OptionText& option : group.options) text += entry(option);
  }
  return text;
}

std::string examples_of(const CommandText& command) {
  std::string text;
  for (const std::string& example : command.examples) text += (text.empty() ? "" : "\n") + example;
  return section("EXAMPLES", text);
}

std::string synopsis(const std::string& program, const CommandText& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n\\fB{} {}\\fR [\\fIOPTIONS\\fR]", program, command.name);
  for (const OptionText& option : command.options) {
    if (option.is_positional) {
      text += fmt::format(" \\fI{}\\fR{}", literal(option.names.front()), option.takes_many ? "..." : "");
    }
    if (!option.is_positional && option.is_required) {
      text += fmt::format(R"( \fB{}\fR \fI{}\fR)", literal(option.names.back()), literal(option.value));
    }
  }
  return text + "\n";
}

}  // namespace

std::string manual_page(const CommandText& program) {
  std::string commands, pages;
  for (const CommandText& command : program.commands) {
    commands += fmt::format(".TP\n\\fB{}\\fR\n{}\n", command.name, literal(command.help));
    pages += fmt::format("{}.BR {}\\-{} (1)", pages.empty() ? "" : " ,\n", program.name, command.name);
  }
  return title(program.name, program.help) +
         fmt::format(".SH SYNOPSIS\n\\fB{}\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n{}", program.name,
                     commands) +
         options_of(program) + section("NOTES", program.footer) + examples_of(program) + ".SH SEE ALSO\n" + pages +
         "\n";
}

std::string manual_page(const CommandText& command, const CommandText& program) {
  return title(program.name + "-" + command.name, command.help) + synopsis(program.name, command) +
         options_of(command) + section("NOTES", command.footer) + examples_of(command) +
         fmt::format(".SH SEE ALSO\n.BR {} (1)\n", program.name);
}

}  // namespace orthodict::cli
