// SPDX-License-Identifier: Apache-2.0
// Every field of Summary, a row each. A model's JSON, that of the command and the summary of the Python package are
// made from these rows.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "orthodict/fit.h"
#include "solver/fields.h"

namespace orthodict::solver {

// Which outputs include a field. Python's summary has all. A model's JSON leaves out what differs between identical
// runs.
enum class ReportedIn { kPythonAlone, kModel, kCommand, kModelAndCommand };

template <typename Field>
struct SummaryField {
  std::string_view name;
  Field Summary::*member;
  ReportedIn reported_in;
  // Whether the command prints it for this run; null: always.
  bool (*is_reported)(const Summary&) = nullptr;
  std::string_view name_in_command = name;
  bool is_null_when_empty = false;
};
// Clang before 17 doesn't deduce the type of an aggregate by itself.
template <typename Field>
SummaryField(std::string_view, Field Summary::*, ReportedIn, bool (*)(const Summary&) = nullptr, std::string_view = {})
    -> SummaryField<Field>;

inline constexpr auto kIsAuto = [](const Summary& summary) { return summary.method == name_of(Method::kAuto); };
inline constexpr auto kHasRuns = [](const Summary& summary) { return summary.runs > 1; };

// In the order of a model's JSON.
inline constexpr std::tuple kSummaryFields = {
    SummaryField{"dimension", &Summary::dimension, ReportedIn::kModelAndCommand},
    SummaryField{"atoms", &Summary::atoms, ReportedIn::kModelAndCommand},
    SummaryField{"samples", &Summary::samples, ReportedIn::kModelAndCommand},
    SummaryField{"rank", &Summary::rank, ReportedIn::kModelAndCommand},
    SummaryField{"rms", &Summary::rms, ReportedIn::kModel},
    SummaryField{"dictionary", &Summary::dictionary, ReportedIn::kModelAndCommand},
    SummaryField{"center", &Summary::center, ReportedIn::kModelAndCommand},
    SummaryField{"normalize", &Summary::normalize, ReportedIn::kModelAndCommand},
    SummaryField{"theta", &Summary::theta, ReportedIn::kModelAndCommand, kIsAuto},
    SummaryField{"noise", &Summary::noise, ReportedIn::kModelAndCommand, kIsAuto},
    SummaryField{"dependence", &Summary::dependence, ReportedIn::kModelAndCommand},
    SummaryField{"distinct", &Summary::distinct, ReportedIn::kModelAndCommand},
    SummaryField{"set_aside", &Summary::set_aside, ReportedIn::kModelAndCommand},
    SummaryField{"established", &Summary::established, ReportedIn::kModelAndCommand, kIsAuto},
    SummaryField{"usage", &Summary::usage, ReportedIn::kCommand, [](const Summary& s) { return !s.usage.empty(); }},
    SummaryField{"runs", &Summary::runs, ReportedIn::kModelAndCommand},
    SummaryField{"resampled_runs", &Summary::resampled_runs, ReportedIn::kModelAndCommand, kHasRuns},
    SummaryField{"stable", &Summary::stable, ReportedIn::kModelAndCommand, kHasRuns},
    SummaryField{"precision", &Summary::precision, ReportedIn::kModelAndCommand},
    SummaryField{"tolerance", &Summary::tolerance, ReportedIn::kModelAndCommand},
    SummaryField{"iterations", &Summary::iterations, ReportedIn::kModelAndCommand},
    SummaryField{"objective", &Summary::objective, ReportedIn::kModelAndCommand},
    SummaryField{"termination", &Summary::termination, ReportedIn::kModelAndCommand},
    SummaryField{"message", &Summary::message, ReportedIn::kModelAndCommand},
    SummaryField{"warnings", &Summary::warnings, ReportedIn::kModelAndCommand},
    // From here on not in the summary of a model's JSON, which has some of them in other places.
    SummaryField{"method", &Summary::method, ReportedIn::kCommand},
    SummaryField<std::string>{.name = "stretch",
                              .member = &Summary::stretch,
                              .reported_in = ReportedIn::kCommand,
                              .is_null_when_empty = true},
    SummaryField{"remove_bias", &Summary::remove_bias, ReportedIn::kCommand},
    SummaryField{"passes", &Summary::passes, ReportedIn::kCommand},
    SummaryField{"total_seconds", &Summary::total_seconds, ReportedIn::kCommand, nullptr, "seconds"},
    SummaryField{"moments_seconds", &Summary::moments_seconds, ReportedIn::kCommand},
    SummaryField{"pass_seconds", &Summary::pass_seconds, ReportedIn::kCommand},
    SummaryField{"projection_seconds", &Summary::projection_seconds, ReportedIn::kCommand},
    SummaryField{"threads", &Summary::threads, ReportedIn::kCommand},
    SummaryField{"ranks", &Summary::ranks, ReportedIn::kCommand},
    SummaryField{"bytes_sent", &Summary::bytes_sent, ReportedIn::kCommand,
                 [](const Summary& s) { return s.ranks > 1; }},
    SummaryField{"parameters", &Summary::parameters, ReportedIn::kCommand,
                 [](const Summary& s) { return !s.parameters.empty(); }},
    SummaryField{"checkpoint_error", &Summary::checkpoint_error, ReportedIn::kCommand,
                 [](const Summary& s) { return !s.checkpoint_error.empty(); }},
    SummaryField{"sample_shape", &Summary::sample_shape, ReportedIn::kPythonAlone},
    SummaryField{"history", &Summary::history, ReportedIn::kPythonAlone},
};

static_assert(std::tuple_size_v<decltype(kSummaryFields)> == count_of_fields<Summary>(),
              "each field of Summary needs a row of its own in kSummaryFields");

// Calls visit(field) for each row.
template <typename Visit>
void for_each_field_of_summary(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kSummaryFields);
}

}  // namespace orthodict::solver
