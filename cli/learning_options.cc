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
Option* add_enum(App& app, const OptionField<Field>& field, Options* options) {
  using Enum = Given<Field>;
  const auto parse = [name = std::string(field.name), value = &(options->*field.member)](const std::string& text) {
    *value = parse_name<Enum>(name, text);
  };
  Option* option = app.add_option_function(flag_of(field.name), parse, describe_values<Enum>(std::string(field.help)));
  if constexpr (!kIsOptional<Field>) option->default_str(std::string(name_of(options->*field.member)));
  return option->value_name("NAME");
}

Option* add_switch(App& app, const OptionField<std::optional<bool>>& field, Options* options) {
  const std::string off = field.name == "remove_bias" ? "--keep-bias" : "--no-" + flag_of(field.name).substr(2);
  const auto set = [value = &(options->*field.member)](bool is_on) { *value = is_on; };
  return app.add_switch(flag_of(field.name) + ",!" + off, set, std::string(field.help));
}

Option* add_stretch(App& app, const OptionField<std::optional<std::string>>& field, Options* options) {
  std::string help(field.help);
  for (const StretchName& stretch : stretch_names()) help += fmt::format("\n  {}: {}", stretch.name, stretch.help);
  return app.add_option(flag_of(field.name), options->*field.member, help)->value_name("NAME");
}

// Returns null for a field of a type that the command line can't express.
template <typename Field>
Option* add_option_of_its_type(App& app, const OptionField<Field>& field, Options* options) {
  const std::string flag = flag_of(field.name), help(field.help);
  Field& value = options->*field.member;
  if constexpr (std::is_same_v<Given<Field>, Resampling>) {
    const auto set = [&value](bool is_on) {
      if (is_on) value = Resampling::kNone;
    };
    app.add_switch("--no-resample", set, "The same as --resample none")->group(std::string(field.group));
    return add_enum(app, field, options)->excludes("--no-resample");
  } else if constexpr (std::is_enum_v<Given<Field>>) {
    return add_enum(app, field, options);
  } else if constexpr (std::is_same_v<Field, std::optional<bool>>) {
    return add_switch(app, field, options);
  } else if constexpr (std::is_same_v<Field, std::optional<std::string>>) {
    return add_stretch(app, field, options);
  } else if constexpr (std::is_same_v<Field, std::optional<Atoms>>) {
    return add_number_of_atoms(app, &value, help);
  } else if constexpr (std::is_integral_v<Given<Field>>) {
    return add_integer_option(app, flag, &value, help);
  } else if constexpr (std::is_same_v<Field, std::optional<double>>) {
    return app.add_option(flag, value, help);
  } else if constexpr (std::is_same_v<Field, double>) {
    return app.add_option(flag, value, help)->capture_default_str();
  } else if constexpr (std::is_same_v<Field, std::string>) {
    return add_file_option(app, flag, &value, help);
  } else {
    return nullptr;
  }
}

template <typename Field>
void add_option(App& app, const OptionField<Field>& field, Options* options) {
  if (Option* option = add_option_of_its_type(app, field, options)) option->group(std::string(field.group));
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
