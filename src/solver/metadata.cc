// SPDX-License-Identifier: Apache-2.0
#include "solver/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "orthodict/version.h"
#include "solver/field_values.h"
#include "solver/option_fields.h"
#include "solver/options.h"
#include "solver/summary_fields.h"

namespace orthodict::solver {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity: an infinite step is the string that the command line takes.
template <typename Field>
Json asked_value(const Field& value) {
  if constexpr (std::is_same_v<Field, double>) {
    if (std::isinf(value)) return "inf";
  }
  return json_of(value);
}

// A column for each field of the records but the time.
Json history_of(const Summary& summary) {
  Json history = {
      {"stage", Json::array()}, {"objective", Json::array()}, {"step", Json::array()}, {"samples", Json::array()}};
  for (const IterationRecord& record : summary.history) {
    history["stage"].push_back(name_of(record.stage));
    history["objective"].push_back(record.objective);
    history["step"].push_back(json_of(record.step));
    history["samples"].push_back(record.samples);
  }
  return history;
}

// What came back where no atom is established, and what may help with these data.
std::string what_to_try(const Summary& summary) {
  constexpr Index kEnoughPerAtom = 10, kMany = 10;
  std::vector<std::string> advice;
  if (summary.dependence > 1) {
    advice.push_back(
        fmt::format("samples in random order, if their order has no meaning: neighbours depend on each "
                    "other, so that {} count as one",
                    std::lround(summary.dependence)));
  }
  if (summary.distinct < kEnoughPerAtom * summary.rank) {
    advice.push_back(
        fmt::format("more samples ({} or more for {} components)", kEnoughPerAtom * summary.rank, summary.rank));
  }
  if (summary.dictionary != Dictionary::kComplete) {
    advice.emplace_back("a complete dictionary where sources may be mixed by any matrix");
  } else {
    if (summary.atoms >= kMany) advice.emplace_back("fewer atoms");
    advice.emplace_back("an orthogonal dictionary of centred samples, if a basis is enough");
  }
  return fmt::format(
      "; the model can be used as a transform, but its atoms may come out differently from other samples; try {}",
      fmt::join(advice, ", or "));
}

}  // namespace

Json describe_options(const Options& options, const Summary& summary) {
  Json asked;
  for_each_option([&](const auto& field) {
    if (field.identity == Identity::kResult || field.identity == Identity::kExtent) {
      asked[field.name] = asked_value(options.*field.member);
    }
  });
  asked["method"] = summary.method;
  asked["stretch"] = summary.stretch.empty() ? Json(nullptr) : Json(summary.stretch);
  asked["remove_bias"] = summary.remove_bias;
  asked["init"] = name_of(init_of(options));
  for (const auto& [name, value] : summary.parameters) asked["parameters"][name] = value;
  return asked;
}

std::string describe_outcome(const Options& options, const Summary& summary) {
  const Termination termination = summary.termination;
  const auto entries = names_of<Termination>();
  const auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.value == termination; });
  const bool by_own_limit = termination == Termination::kMaxIterations && summary.method == name_of(Method::kAuto) &&
                            summary.iterations < options.max_iterations.value_or(std::numeric_limits<int>::max());
  std::string text =
      fmt::format("{} after {} iterations: {}", entry->name, summary.iterations,
                  by_own_limit ? "some atoms still moved after the steps of the last stage; the model can "
                                 "be used"
                               : entry->help);
  if (termination == Termination::kNotEstablished) text += what_to_try(summary);
  if (summary.distinct < summary.samples) {
    text += fmt::format("; {} of the {} samples differ, the others are copies", summary.distinct, summary.samples);
  }
  if (summary.set_aside > 0) {
    text += fmt::format("; {} of the samples, far larger than all others, set aside", summary.set_aside);
  }
  // Atoms of a basis make samples sparse whether they are sources or not.
  const bool is_basis = dictionary_of(options) == Dictionary::kOrthogonal && summary.established < summary.atoms;
  if (summary.method == name_of(Method::kAuto) && termination != Termination::kNotEstablished && !is_basis) {
    const bool cut_short = termination != Termination::kConverged && summary.established == 0;
    text += cut_short ? "; no atom established yet"
                      : fmt::format("; {} of {} atoms established", summary.established, summary.atoms);
  }
  if (options.runs > 1 && summary.runs == 1) {
    text += fmt::format("; no consensus, because the fit ended before its {} runs were complete", options.runs);
  }
  if (summary.runs > 1) {
    text += fmt::format("; {} atoms stable over {} runs", summary.stable, summary.runs);
    const bool halves = options.resample.value_or(Resampling::kHalves) == Resampling::kHalves;
    if (summary.resampled_runs > 0) {
      text +=
          fmt::format(" on all samples and {} on {}", summary.resampled_runs, halves ? "halves" : "bootstrap samples");
    }
  }
  const bool is_square = summary.dictionary != Dictionary::kOvercomplete;
  if (is_square && summary.rank < std::min(summary.dimension, summary.atoms)) {
    text += fmt::format("; the data have numerical rank {} of {}, so {} atoms carry no energy", summary.rank,
                        summary.dimension, summary.atoms - summary.rank);
  } else if (summary.rank < summary.dimension) {
    text += fmt::format("; the data have numerical rank {} of {}", summary.rank, summary.dimension);
  }
  return text;
}

std::string make_metadata(const Options& options, const Summary& summary) {
  Json outcome;
  for_each_field_of_summary([&](const auto& field) {
    const bool is_reported =
        field.reported_in == ReportedIn::kModel || field.reported_in == ReportedIn::kModelAndCommand;
    if (is_reported) outcome[field.name] = json_of(field, summary);
  });

  Json metadata = {
      {"version", ORTHODICT_VERSION}, {"options", describe_options(options, summary)}, {"summary", outcome}};
  if (!summary.sample_shape.empty()) metadata["sample_shape"] = summary.sample_shape;
  metadata["history"] = history_of(summary);
  return metadata.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace orthodict::solver
