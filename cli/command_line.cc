// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <concepts>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "exit_code.h"
#include "help_page.h"
#include "orthodict/error.h"
#include "orthodict/types.h"

namespace orthodict::cli {
namespace {

constexpr const char* kHelpGroup = "Help";  // listed last

template <typename Value>
struct WithoutOptional {
  using Type = Value;
};
template <typename Value>
struct WithoutOptional<std::optional<Value>> {
  using Type = Value;
};

template <std::integral Integer>
std::string fault_of_integer(const std::string& text) {
  Integer value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc{} && end == text.data() + text.size()) return {};
  return fmt::format("{} must be an integer from {} to {}", text, std::numeric_limits<Integer>::min(),
                     std::numeric_limits<Integer>::max());
}

std::string fault_of_truth_value(const std::string& text) {
  bool value = false;
  return CLI::detail::lexical_cast(text, value) ? std::string() : text + " must be true or false";
}

// The number of letters to insert, delete or replace that make one word of another (Levenshtein).
std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// "; did you mean NAME?" with the name that is most like the word, or nothing if none is.
std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const auto distance = [&](const std::string& name) { return edit_distance(word, name); };
  const auto closest = std::ranges::min_element(names, {}, distance);
  if (closest == names.end() || 3 * distance(*closest) > closest->size()) return {};
  return fmt::format("; did you mean {}?", *closest);
}

// The first of "--option=": CLI11 would take the word behind it for the value.
std::string_view option_without_value(int argc, char** argv) {
  for (const std::string_view word : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    if (word == "--") break;
    if (word.starts_with("--") && word.ends_with('=')) return word.substr(0, word.size() - 1);
  }
  return {};
}

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  text.is_positional = !option.nonpositional();
  if (text.is_positional) text.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0) text.value = option.get_type_name();
  if (text.value == "UINT") text.value = "INT";
  text.takes_many = option.get_items_expected_max() > 1;
  text.help = option.get_description();
  text.default_value = option.get_default_str();
  text.group = option.get_group();
  text.is_required = option.get_required();
  return text;
}

}  // namespace

std::vector<std::string> OptionText::choices() const {
  std::vector<std::string> words;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(':'));
    const bool is_word =
        name.size() > 2 && name.starts_with("  ") && std::all_of(name.begin() + 2, name.end(), [](unsigned char c) {
          return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
        });
    if (is_word && name.size() < line.size()) words.push_back(name.substr(2));
  }
  return words;
}

std::string OptionText::help_with_default() const {
  const std::string note = is_required && !is_positional ? " (required)"
                           : default_value.empty()       ? ""
                                                         : " (default: " + default_value + ")";
  std::size_t end = help.find('\n');
  if (end == std::string::npos) return help + note;
  if (end > 0 && help[end - 1] == ':') --end;
  return help.substr(0, end) + note + help.substr(end);
}

std::vector<OptionGroup> CommandText::option_groups() const {
  std::vector<OptionGroup> groups;
  for (const OptionText& option : options) {
    if (option.is_positional) continue;
    if (groups.empty() || groups.back().name != option.group) groups.push_back({.name = option.group, .options = {}});
    groups.back().options.push_back(option);
  }
  return groups;
}

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}

Option* Option::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

Option* Option::separated_by(char separator) {
  option_->delimiter(separator)->allow_extra_args(false);
  return this;
}

Option* Option::check(const std::function<std::string(const std::string& text)>& fault) {
  option_->check(CLI::Validator(fault, ""));
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::value_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

bool Option::is_given() const { return option_->count() > 0; }

App::App(const std::string& name, const std::string& version, const std::string& help)
    : program_(std::make_unique<CLI::App>(help, name)), app_(program_.get()) {
  app_->set_version_flag("-V,--version", name + " " + version, "Print the version and exit")->group(kHelpGroup);
  use_help_page();
}

App::App(CLI::App* command) : app_(command) { use_help_page(); }

App::~App() = default;

void App::use_help_page() {
  app_->set_help_flag("-h,--help", "Print this help and exit")->group(kHelpGroup);
  app_->formatter_fn([this](const CLI::App*, const std::string& invocation, CLI::AppFormatMode) {
    return help_page(text(), invocation);
  });
}

void App::footer(const std::string& text) { app_->footer(text); }

void App::examples(const std::vector<std::string>& commands) { examples_ = commands; }

void App::group_order(const std::vector<std::string>& groups) { group_order_ = groups; }

void App::begin_group(const std::string& group) { group_ = group; }

std::string App::name() const { return app_->get_name(); }

App* App::add_subcommand(const std::string& name, const std::string& help) {
  app_->require_subcommand(1);
  return &commands_.emplace_back(app_->add_subcommand(name, help));
}

void App::hide() { app_->group(""); }

CommandText App::text() const {
  CommandText text;
  text.name = app_->get_name();
  text.help = app_->get_description();
  text.footer = app_->get_footer();
  text.examples = examples_;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) text.options.push_back(text_of(*option));
  std::vector<std::string> groups = group_order_;
  for (const OptionText& option : text.options) {
    if (option.group != kHelpGroup) groups.push_back(option.group);
  }
  const auto place = [&](const OptionText& option) { return std::ranges::find(groups, option.group); };
  std::ranges::stable_sort(text.options, {}, place);
  for (const App& command : commands_) {
    if (!command.app_->get_group().empty()) text.commands.push_back(command.text());
  }
  return text;
}

std::string App::given_subcommand() const { return app_->get_subcommands().front()->get_name(); }

void App::callback(const std::function<void()>& call) { app_->callback(call); }

Option* App::keep(CLI::Option* option) {
  option->group(group_);
  return &options_.emplace_back(option);
}

template <typename Value>
Option* App::add_option(const std::string& name, Value& value, const std::string& help) {
  Option* option = keep(app_->add_option(name, value, help));
  using Given = typename WithoutOptional<Value>::Type;
  if constexpr (std::integral<Given>) option->check(fault_of_integer<Given>);
  return option;
}

template Option* App::add_option(const std::string&, std::string&, const std::string&);
template Option* App::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option* App::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* App::add_option(const std::string&, double&, const std::string&);
template Option* App::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option* App::add_option(const std::string&, int&, const std::string&);
template Option* App::add_option(const std::string&, std::optional<int>&, const std::string&);
template Option* App::add_option(const std::string&, Index&, const std::string&);
template Option* App::add_option(const std::string&, std::optional<Index>&, const std::string&);
template Option* App::add_option(const std::string&, std::uint64_t&, const std::string&);

Option* App::add_option_function(const std::string& name, const std::function<void(const std::string&)>& take,
                                 const std::string& help) {
  return keep(app_->add_option_function<std::string>(name, take, help));
}

Option* App::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(app_->add_flag(name, value, help));
}

Option* App::add_switch(const std::string& names, const std::function<void(bool)>& set, const std::string& help) {
  CLI::Option* option = app_->add_flag_function(
                                names, [set](std::int64_t sign) { set(sign > 0); }, help)
                            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return keep(option)->check(fault_of_truth_value);
}

Option* App::get_option(const std::string& name) { return &options_.emplace_back(app_->get_option(name)); }

std::string App::unknown_command(const std::string& word) const {
  std::vector<std::string> names;
  for (const CommandText& command : text().commands) names.push_back(command.name);
  return fmt::format("unknown command {}{}", word, suggestion(word, names));
}

std::string App::unknown_arguments(const std::string& message) const {
  const std::vector<std::string> words = app_->remaining(true);
  const std::string word = words.empty() ? "" : words.front().substr(0, words.front().find('='));
  if (!word.starts_with('-') || app_->get_subcommands().empty()) return message;
  std::vector<std::string> names;
  const std::string command = given_subcommand();
  for (const App& app : commands_) {
    if (app.name() != command) continue;
    for (const OptionText& option : app.text().options)
      names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return message + suggestion(word, names);
}

std::optional<int> App::parse(int argc, char** argv) {
  if (argc == 1) {
    fmt::print("{}", overview_);
    return kDone;
  }
  std::vector<char*> words(argv, argv + argc);
  std::string help_flag = "--help";
  if (std::string_view(argv[1]) == "help") {
    const auto is_asked_for = [&](const App& command) { return command.name() == argv[2]; };
    if (argc > 2 && std::ranges::none_of(commands_, is_asked_for)) {
      return complain(name(), unknown_command(argv[2]), kBadUsage);
    }
    words.erase(words.begin() + 1);
    words.push_back(help_flag.data());
  }
  return parse_words(static_cast<int>(words.size()), words.data());
}

std::optional<int> App::parse_words(int argc, char** argv) {
  const auto refuse = [&](const std::string& what) { return complain(name(), what + " (see --help)", kBadUsage); };
  if (const auto option = option_without_value(argc, argv); !option.empty()) {
    return refuse(fmt::format("{}: a value is missing", option));
  }
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app_->exit(help);
  } catch (const CLI::RequiredError& error) {
    const bool word_given = argc > 1 && app_->get_subcommands().empty() && argv[1][0] != '-';
    return refuse(word_given ? unknown_command(argv[1]) : error.what());
  } catch (const CLI::ExtrasError& error) {
    return refuse(unknown_arguments(error.what()));
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  } catch (const Error& error) {
    return refuse(error.what());
  }
  return std::nullopt;
}

}  // namespace orthodict::cli
