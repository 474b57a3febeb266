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

// Text as it is, in lines of their own: no character of it is a request.
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
  std::string help = option.help;
  if (!option.default_value.empty()) help += fmt::format("\nDefault: {}", option.default_value);
  return fmt::format(".TP\n{}\n{}\n", names, literal(help));
}

// Under the heading of each group, in the order in which groups first come.
std::string options_of(const CommandText& command) {
  std::vector<std::string> groups;
  for (const OptionText& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    if (!group.empty()) text += fmt::format(".SH {}\n", upper(literal(group)));
    for (const OptionText& option : command.options) {
      if (option.group == group && !group.empty()) text += entry(option);
    }
  }
  return text;
}

std::string synopsis(const std::string& program, const CommandText& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n\\fB{} {}\\fR [\\fIOPTIONS\\fR]", program, command.name);
  for (const OptionText& option : command.options) {
    if (option.is_positional) text += fmt::format(" \\fI{}\\fR", literal(option.names.front()));
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
         options_of(program) + section("NOTES", program.footer) + ".SH SEE ALSO\n" + pages + "\n";
}

std::string manual_page(const CommandText& command, const CommandText& program) {
  return title(program.name + "-" + command.name, command.help) + synopsis(program.name, command) +
         options_of(command) + section("NOTES", command.footer) +
         fmt::format(".SH SEE ALSO\n.BR {} (1)\n", program.name);
}

}  // namespace orthodict::cli
