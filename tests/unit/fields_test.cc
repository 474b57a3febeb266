// SPDX-License-Identifier: Apache-2.0
// The tables of options, fields of the summary, stretches and methods: what is generated from them, and that the docs
// name every entry.
#include <fstream>
#include <iterator>
#include <set>

#include "baselines/methods.h"
#include "formats/registry.h"
#include "solver/field_values.h"
#include "solver/metadata.h"
#include "solver/option_fields.h"
#include "solver/rank_agreement.h"
#include "solver/summary_fields.h"
#include "support.h"

namespace orthodict::solver {
namespace {

std::string text_of_docs(const std::string& name) {
  std::ifstream file(std::string(ORTHODICT_TEST_DATA) + "/../../docs/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_named(const std::string& docs, const std::vector<std::string>& spellings) {
  const bool named = std::ranges::any_of(
      spellings, [&](const std::string& spelling) { return docs.find("`" + spelling) != std::string::npos; });
  EXPECT_TRUE(named) << spellings.front();
}

TEST(Docs, NameEveryOption) {
  const std::string docs = text_of_docs("options.md");
  for_each_option([&](const auto& field) {
    std::string flag = "--" + std::string(field.name);
    std::ranges::replace(flag, '_', '-');
    expect_named(docs, {std::string(field.name) + "`", flag + "`"});
  });
}

TEST(Docs, NameEveryFieldOfASummary) {
  const std::string docs = text_of_docs("options.md");
  for_each_field_of_summary([&](const auto& field) { expect_named(docs, {std::string(field.name) + "`"}); });
}

TEST(Docs, NameEveryStretchAndMethod) {
  const std::string docs = text_of_docs("options.md");
  for (const StretchName& stretch : stretch_names()) expect_named(docs, {stretch.name + "`"});
  for (const auto& method : baselines::methods()) expect_named(docs, {std::string(method.name) + "`"});
}

TEST(Docs, NameEveryFormat) {
  const std::string docs = text_of_docs("formats.md");
  for (const formats::Format& format : formats::all_formats()) {
    for (const std::string_view suffix : format.suffixes) {
      if (!suffix.empty()) expect_named(docs, {std::string(suffix)});
    }
  }
}

// Sets another legal value; returns false for types without one.
template <typename Field>
bool change(Field* value) {
  using Value = Given<Field>;
  if constexpr (std::is_enum_v<Value>) {
    const auto entries = names_of<Value>();
    *value = *value == entries.back().value ? entries.front().value : entries.back().value;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    *value = "l3";
  } else if constexpr (std::is_same_v<Value, RowMatrix<double>>) {
    *value = RowMatrix<double>::Ones(2, 2);
  } else if constexpr (std::is_same_v<Value, Atoms> || std::is_same_v<Value, double>) {
    *value = Value(0.25);
  } else if constexpr (std::is_arithmetic_v<Value>) {
    *value = *value == Value(1) ? Value(2) : Value(1);
  } else {
    return false;
  }
  return true;
}

TEST(OptionFields, SayWhatRanksMustHaveInCommonAndAModelTells) {
  const Matrix<double> y = test::random_gaussian(3, 20, 1);
  const auto samples = samples_in_columns(y);
  const Options plain;
  const std::uint64_t hash = hash_of_question(plain, *samples);
  const auto told = describe_options(plain, {});
  std::set<std::string_view> names;
  for_each_option([&](const auto& field) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name << " twice";
    EXPECT_EQ(field.legal.empty(), field.is_legal == nullptr) << field.name;
    EXPECT_EQ(field.help.empty(), field.group.empty()) << field.name;
    EXPECT_TRUE(is_default(field, plain)) << field.name;
    const bool is_told = field.identity == Identity::kResult || field.identity == Identity::kExtent;
    EXPECT_EQ(told.contains(std::string(field.name)), is_told) << field.name;
    Options other;
    if (!change(&(other.*field.member))) return;
    EXPECT_EQ(hash_of_question(other, *samples) != hash, field.identity != Identity::kNone) << field.name;
    // An initial dictionary alone implies another init.
    if (!other.init) other.init = Initialization::kRandom;
    Summary chosen;  // models record the chosen values of these options
    chosen.method = name_of(other.method);
    chosen.stretch = other.stretch.value_or("");
    chosen.remove_bias = other.remove_bias.value_or(false);
    Summary chosen_before;
    chosen_before.method = name_of(plain.method);
    EXPECT_EQ(describe_options(other, chosen) != describe_options(plain, chosen_before), is_told) << field.name;
  });
}

TEST(SummaryFields, HaveOneNameEach) {
  std::set<std::string_view> names, names_in_command;
  for_each_field_of_summary([&](const auto& field) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_TRUE(names_in_command.insert(field.name_in_command).second) << field.name_in_command;
  });
}

TEST(SummaryFields, AreCounted) {
  struct Two {
    std::optional<double> a;
    std::vector<Index> b;
  };
  static_assert(count_of_fields<Two>() == 2);
  static_assert(count_of_fields<IterationRecord>() == 6);
}

TEST(FieldValues, AreShown) {
  EXPECT_EQ(text_of(std::optional<bool>(true)), "true");
  EXPECT_EQ(text_of(std::optional<double>()), "unset");
  EXPECT_EQ(text_of(Whitening::kZca), "zca");
  EXPECT_EQ(text_of(std::optional<Atoms>(0.5)), "0.5");
  EXPECT_EQ(text_of(make_stretch("l3")), "l3");
  EXPECT_TRUE(json_of(std::optional<double>()).is_null());
  EXPECT_EQ(json_of(std::optional<Atoms>(5)), 5);
  EXPECT_EQ(json_of(Precision::kMixed), "mixed");
  Summary summary;
  EXPECT_TRUE(
      json_of(
          SummaryField<std::string>{
              .name = "", .member = &Summary::stretch, .reported_in = ReportedIn::kCommand, .is_null_when_empty = true},
          summary)
          .is_null());
  EXPECT_EQ(json_of(SummaryField<std::string>{"", &Summary::stretch, ReportedIn::kCommand}, summary), "");
}

}  // namespace
}  // namespace orthodict::solver
