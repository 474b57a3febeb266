// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace orthodict::soak {
namespace {

constexpr std::array<std::string_view, 12> kForms = {"columns", "strided", "array", "joined", "own",     "patches",
                                                     "npy",     "csv",     "raw",   "sparse", "picture", "foreign"};
constexpr std::array<std::string_view, 9> kTraits = {
    "plain",       "offset",           "units",   "constant feature", "duplicate feature", "low rank",
    "few samples", "repeated samples", "gaussian"};
constexpr std::array<std::string_view, 23> kTroubles = {"none",
                                                        "NaN",
                                                        "infinity",
                                                        "overflow",
                                                        "zeros",
                                                        "no samples",
                                                        "bad option",
                                                        "callback throws",
                                                        "callback stops",
                                                        "stopped before",
                                                        "time is up",
                                                        "samples throw",
                                                        "file missing",
                                                        "file truncated",
                                                        "file empty",
                                                        "file of garbage",
                                                        "file is a folder",
                                                        "file replaced",
                                                        "checkpoint nowhere",
                                                        "checkpoint full",
                                                        "interrupted, resumed",
                                                        "checkpoint damaged",
                                                        "checkpoint of another"};

constexpr double kHealthy = 0.4;  // share of fits without faults

Trouble draw_trouble(Draw* draw) {
  if (draw->chance(kHealthy)) return Trouble::kNone;
  return static_cast<Trouble>(draw->integer(1, static_cast<Index>(kTroubles.size()) - 1));
}

// Only files can be missing, and only numbers with a point can be NaN.
Form draw_form(Trouble trouble, Draw* draw) {
  if (trouble >= Trouble::kMissing && trouble <= Trouble::kReplaced) {
    return static_cast<Form>(draw->integer(static_cast<Index>(Form::kNpy), static_cast<Index>(Form::kForeign)));
  }
  constexpr Form kOfNumbers[] = {Form::kColumns, Form::kStrided, Form::kArray, Form::kJoined, Form::kOwn,
                                 Form::kNpy,     Form::kCsv,     Form::kRaw,   Form::kSparse};
  if (trouble >= Trouble::kNan && trouble <= Trouble::kNoSamples) return draw->one_of(kOfNumbers);
  return static_cast<Form>(draw->integer(0, static_cast<Index>(kForms.size()) - 1));
}

ElementType draw_type(Form form, Trouble trouble, Draw* draw) {
  if (trouble == Trouble::kOverflow || form == Form::kOwn || form == Form::kCsv || form == Form::kSparse) {
    return ElementType::kF64;
  }
  const bool broken = trouble == Trouble::kNan || trouble == Trouble::kInfinity;
  if (form == Form::kNpy || broken) return draw->one_of({ElementType::kF32, ElementType::kF64});
  if (form == Form::kColumns || form == Form::kJoined) {
    return draw->one_of({ElementType::kU8, ElementType::kI16, ElementType::kF32, ElementType::kF64});
  }
  return draw->one_of({ElementType::kU8, ElementType::kI8, ElementType::kU16, ElementType::kI16, ElementType::kU32,
                       ElementType::kI32, ElementType::kU64, ElementType::kI64, ElementType::kF32, ElementType::kF64});
}

}  // namespace

std::string name_of(Form form) { return std::string(kForms.at(static_cast<std::size_t>(form))); }
std::string name_of(Trait trait) { return std::string(kTraits.at(static_cast<std::size_t>(trait))); }
std::string name_of(Trouble trouble) { return std::string(kTroubles.at(static_cast<std::size_t>(trouble))); }

std::string Plan::describe() const {
  return fmt::format("case {}: {}×{} {} as {}, {}; {} {}; trouble: {}", number, y.rows(), y.cols(), to_string(type),
                     name_of(form), name_of(trait), orthodict::name_of(options.method), options.stretch.value_or("-"),
                     name_of(trouble));
}

Plan make_plan(std::uint64_t seed, std::uint64_t number) {
  Draw draw(seed, number);
  Plan plan;
  plan.number = number;
  plan.trouble = draw_trouble(&draw);
  plan.form = draw_form(plan.trouble, &draw);
  plan.type = draw_type(plan.form, plan.trouble, &draw);
  if (draw.chance(0.5)) plan.trait = static_cast<Trait>(draw.integer(1, static_cast<Index>(kTraits.size()) - 1));
  draw_samples(&plan, &draw);
  draw_options(&plan, &draw);
  make_trouble(&plan, &draw);
  plan.details = draw;
  return plan;
}

}  // namespace orthodict::soak
