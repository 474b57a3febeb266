// SPDX-License-Identifier: Apache-2.0
#include "learning_options.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "command.h"
#include "orthodict/stretch.h"
#include "solver/option_fields.h"

namespace orthodict::cli {
namespace {

using solver::Given;
using solver::kIsOptional;
using solver::OptionField;

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

template <typename Field>
void add_enum(App& app, const OptionField<Field>& field, Options* options) {
  using Enum = Given<Field>;
  const auto parse = [name = std::string(field.name), value = &(options->*field.member)](const std::string& text) {
    *value = parse_name<Enum>(name, text);
  };
  Option* option = app.add_option_function(flag_of(field.name), parse, describe_values<Enum>(std::string(field.help)));
  if constexpr (!kIsOptional<Field>) option->default_str(std::string(name_of(options->*field.member)));
}

void add_switch(App& app, const OptionField<std::optional<bool>>& field, Options* options) {
  const std::string off = field.name == "remove_bias" ? "--keep-bias" : "--no-" + flag_of(field.name).substr(2);
  const auto set = [value = &(options->*field.member)](bool is_on) { *value = is_on; };
  app.add_switch(flag_of(field.name) + ",!" + off, set, std::string(field.help));
}

void add_stretch(App& app, const OptionField<std::optional<std::string>>& field, Options* options) {
  std::string help(field.help);
  for (const StretchName& stretch : stretch_names()) help += fmt::format("\n  {}: {}", stretch.name, stretch.help);
  app.add_option(flag_of(field.name), options->*field.member, help);
}

template <typename Field>
void add_option(App& app, const OptionField<Field>& field, Options* options) {
  const std::string flag = flag_of(field.name), help(field.help);
  Field& value = options->*field.member;
  if constexpr (std::is_enum_v<Given<Field>>) {
    add_enum(app, field, options);
  } else if constexpr (std::is_same_v<Field, std::optional<bool>>) {
    add_switch(app, field, options);
  } else if constexpr (std::is_same_v<Field, std::optional<std::string>>) {
    add_stretch(app, field, options);
  } else if constexpr (std::is_same_v<Field, std::optional<Atoms>>) {
    add_number_of_atoms(app, &value, help);
  } else if constexpr (std::is_integral_v<Given<Field>>) {
    add_integer_option(app, flag, &value, help);
  } else if constexpr (std::is_same_v<Field, std::optional<double>>) {
    app.add_option(flag, value, help);
  } else if constexpr (std::is_same_v<Field, double>) {
    app.add_option(flag, value, help)->capture_default_str();
  } else if constexpr (std::is_same_v<Field, std::string>) {
    add_file_option(app, flag, &value, help);
  }
}

}  // namespace

void add_learning_options(App& app, Options* options) {
  solver::for_each_option([&](const auto& field) {
    if (!field.help.empty()) add_option(app, field, options);
  });
}

void add_learning_options(App& app, Options* options, const std::vector<std::string_view>& names) {
  solver::for_each_option([&](const auto& field) {
    if (std::find(names.begin(), names.end(), field.name) != names.end()) add_option(app, field, options);
  });
}

}  // namespace orthodict::cli
