// SPDX-License-Identifier: Apache-2.0
// Every field of Summary, a row each. A model's JSON, that of the command and the summary of the Python package are
// made from these rows.
#pragma once

#include <string_view>
#include <tuple>

#include "orthodict/fit.h"
#include "solver/fields.h"

namespace orthodict::solver {

// Where a field is told. Python tells all of them. A model's JSON has nothing that varies between equal runs.
enum class ToldIn { kPythonAlone, kModel, kCommand, kModelAndCommand };

template <typename Field>
struct SummaryField {
  std::string_view name;
  Field Summary::*member;
  ToldIn told_in;
  // Whether the command tells it of this run; null: of every run.
  bool (*is_told)(const Summary&) = nullptr;
  std::string_view name_in_command = name;
  bool is_null_when_empty = false;
};

inline constexpr auto kIsAuto = [](const Summary& summary) { return summary.method == name_of(Method::kAuto); };

// In the order of a model's JSON.
inline constexpr std::tuple kSummaryFields = {
    SummaryField{"dimension", &Summary::dimension, ToldIn::kModelAndCommand},
    SummaryField{"atoms", &Summary::atoms, ToldIn::kModelAndCommand},
    SummaryField{"samples", &Summary::samples, ToldIn::kModelAndCommand},
    SummaryField{"rank", &Summary::rank, ToldIn::kModelAndCommand},
    SummaryField{"rms", &Summary::rms, ToldIn::kModel},
    SummaryField{"dictionary", &Summary::dictionary, ToldIn::kModelAndCommand},
    SummaryField{"center", &Summary::center, ToldIn::kModelAndCommand},
    SummaryField{"normalize", &Summary::normalize, ToldIn::kModelAndCommand},
    SummaryField{"theta", &Summary::theta, ToldIn::kModelAndCommand, kIsAuto},
    SummaryField{"noise", &Summary::noise, ToldIn::kModelAndCommand, kIsAuto},
    SummaryField{"dependence", &Summary::dependence, ToldIn::kModelAndCommand},
    SummaryField{"distinct", &Summary::distinct, ToldIn::kModelAndCommand},
    SummaryField{"set_aside", &Summary::set_aside, ToldIn::kModelAndCommand},
    SummaryField{"established", &Summary::established, ToldIn::kModelAndCommand, kIsAuto},
    SummaryField{"usage", &Summary::usage, ToldIn::kCommand, [](const Summary& s) { return !s.usage.empty(); }},
    SummaryField{"precision", &Summary::precision, ToldIn::kModelAndCommand},
    SummaryField{"tolerance", &Summary::tolerance, ToldIn::kModelAndCommand},
    SummaryField{"iterations", &Summary::iterations, ToldIn::kModelAndCommand},
    SummaryField{"objective", &Summary::objective, ToldIn::kModelAndCommand},
    SummaryField{"termination", &Summary::termination, ToldIn::kModelAndCommand},
    SummaryField{"message", &Summary::message, ToldIn::kModelAndCommand},
    SummaryField{"warnings", &Summary::warnings, ToldIn::kModelAndCommand},
    // From here on not in the summary of a model's JSON, which has some of them in other places.
    SummaryField{"method", &Summary::method, ToldIn::kCommand},
    SummaryField{
        .name = "stretch", .member = &Summary::stretch, .told_in = ToldIn::kCommand, .is_null_when_empty = true},
    SummaryField{"remove_bias", &Summary::remove_bias, ToldIn::kCommand},
    SummaryField{"passes", &Summary::passes, ToldIn::kCommand},
    SummaryField{"total_seconds", &Summary::total_seconds, ToldIn::kCommand, nullptr, "seconds"},
    SummaryField{"moments_seconds", &Summary::moments_seconds, ToldIn::kCommand},
    SummaryField{"pass_seconds", &Summary::pass_seconds, ToldIn::kCommand},
    SummaryField{"projection_seconds", &Summary::projection_seconds, ToldIn::kCommand},
    SummaryField{"threads", &Summary::threads, ToldIn::kCommand},
    SummaryField{"ranks", &Summary::ranks, ToldIn::kCommand},
    SummaryField{"bytes_sent", &Summary::bytes_sent, ToldIn::kCommand, [](const Summary& s) { return s.ranks > 1; }},
    SummaryField{"parameters", &Summary::parameters, ToldIn::kCommand,
                 [](const Summary& s) { return !s.parameters.empty(); }},
    SummaryField{"checkpoint_error", &Summary::checkpoint_error, ToldIn::kCommand,
                 [](const Summary& s) { return !s.checkpoint_error.empty(); }},
    SummaryField{"sample_shape", &Summary::sample_shape, ToldIn::kPythonAlone},
    SummaryField{"history", &Summary::history, ToldIn::kPythonAlone},
};

static_assert(std::tuple_size_v<decltype(kSummaryFields)> == count_of_fields<Summary>(),
              "each field of Summary needs a row of its own in kSummaryFields");

// Calls visit(field) for each row.
template <typename Visit>
void for_each_field_of_summary(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, kSummaryFields);
}

}  // namespace orthodict::solver
