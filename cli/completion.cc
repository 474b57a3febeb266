// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace orthodict::cli {
namespace {

// The first line, for single quotes; what is `special` there gets a backslash.
std::string quoted(const std::string& help, std::string_view special) {
  std::string text;
  for (const char c : help.substr(0, help.find('\n'))) {
    if (special.find(c) != std::string_view::npos) text += '\\';
    text += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return text;
}
std::string quoted_for_zsh(const std::string& help) { return quoted(help, "[]:\\"); }
std::string quoted_for_fish(const std::string& help) { return quoted(help, "\\"); }

template <typename Write>
std::string for_each_option(const CommandText& command, const Write& write) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.is_positional) continue;
    for (const std::string& name : option.names) text += write(option, name);
  }
  return text;
}

template <typename Write>
std::string for_each_command(const CommandText& program, const Write& write) {
  std::string text;
  for (const CommandText& command : program.commands) text += write(command);
  return text;
}

std::string bash_case(const CommandText& command) {
  const std::string options = for_each_option(command, [](const OptionText&, const auto& name) { return name + " "; });
  const std::string values = for_each_option(command, [](const OptionText& option, const std::string& name) {
    const auto choices = option.choices();
    return choices.empty() ? "" : fmt::format("        {}) words='{}' ;;\n", name, fmt::join(choices, " "));
  });
  return fmt::format("    {})\n      options='{}'\n", command.name, options) +
         (values.empty() ? "" : fmt::format("      case $before in\n{}      esac\n", values)) + "      ;;\n";
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  const std::string names = for_each_command(program, [](const CommandText& command) { return command.name + " "; });
  return fmt::format(R"(# Completion of {0} in bash.
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words='' options=''
  case ${{COMP_WORDS[1]}} in
{2}  esac
  if ((COMP_CWORD == 1)); then
    words='{1}--help --version'
  elif [[ $word == -* ]]; then
    words=$options
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _{0} {0}
)",
                     program.name, names, for_each_command(program, bash_case));
}

std::string zsh_completion(const CommandText& program) {
  const auto describe = [](const CommandText& command) {
    return fmt::format("    '{}:{}'\n", command.name, quoted_for_zsh(command.help));
  };
  const auto complete = [](const CommandText& command) {
    return fmt::format("    {})\n      _arguments \\\n", command.name) +
           for_each_option(command,
                           [](const OptionText& option, const std::string& name) {
                             const auto choices = option.choices();
                             const std::string values =
                                 choices.empty() ? "_files" : fmt::format("({})", fmt::join(choices, " "));
                             return fmt::format("        '{}[{}]{}' \\\n", name, quoted_for_zsh(option.help),
                                                option.value.empty() ? "" : ":value:" + values);
                           }) +
           "        '*:file:_files'\n      ;;\n";
  };
  return fmt::format(R"(#compdef {0}
# Completion of {0} in zsh.
_{0}() {{
  local -a commands=(
{1}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{2}  esac
}}
_{0} "$@"
)",
                     program.name, for_each_command(program, describe), for_each_command(program, complete));
}

std::string fish_completion(const CommandText& program) {
  return fmt::format("# Completion of {} in fish.\n", program.name) +
         for_each_command(program, [&](const CommandText& command) {
           return fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n", program.name, command.name,
                              quoted_for_fish(command.help)) +
                  for_each_option(command, [&](const OptionText& option, const std::string& name) {
                    const auto choices = option.choices();
                    const std::string values = option.value.empty() ? ""
                                               : choices.empty()    ? " -r"
                                                                 : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
                    return fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}' {} {}{} -d '{}'\n",
                                       program.name, command.name, name.starts_with("--") ? "-l" : "-s",
                                       name.substr(name.starts_with("--") ? 2 : 1), values,
                                       quoted_for_fish(option.help));
                  });
         });
}

}  // namespace orthodict::cli
