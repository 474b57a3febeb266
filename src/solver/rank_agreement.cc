// SPDX-License-Identifier: Apache-2.0
#include "solver/rank_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "engine/pass.h"
#include "linalg/polar.h"
#include "orthodict/version.h"
#include "solver/field_values.h"
#include "solver/hash.h"
#include "solver/option_fields.h"

namespace orthodict::solver {
namespace {

// Of a few samples here and there: files of one shape may be different ones.
std::uint64_t hash_of_some(const Samples& samples) {
  const Index some = std::min<Index>(16, samples.size());
  std::uint64_t hash = 0;
  std::vector<double> scratch(static_cast<std::size_t>(samples.dimension()));
  for (Index i = 0; i < some; ++i) {
    const Index sample = i * (samples.size() - 1) / std::max<Index>(some - 1, 1);
    const Block<double> block = samples.block(sample, 1, scratch.data());
    hash = hash_of(std::span(block.data, scratch.size()), hash);
  }
  return hash;
}

}  // namespace

std::uint64_t hash_of_question(const Options& options, const Samples& samples) {
  nlohmann::ordered_json question;
  for_each_option([&](const auto& field) {
    const auto& value = options.*field.member;
    if (field.identity == Identity::kNone) return;
    question[field.name] = field.identity == Identity::kIfGiven ? json_of(is_given(value)) : json_of(value);
  });
  question["samples"] = {samples.size(), samples.dimension(), samples.fits_f32()};
  if (samples.is_complex()) question["complex"] = true;
  if (!samples.is_shared_out()) question["values"] = hash_of_some(samples);
  return hash_of(question.dump());
}

void require_same_question(engine::Collective& collective, const Options& options, const Samples& samples) {
  if (collective.is_alone()) return;
  std::uint64_t question = 0;
  collective.together([&] { question = hash_of_question(options, samples); });
  collective.require_equal(
      question,
      fmt::format(
          "{}: ranks must have the same options and samples, and those of this one, {} samples of {} features, "
          "differ; where each has samples of its own these are to be joined first ({{rank}} in their names, for the "
          "command)",
          samples.name(), samples.size(), samples.dimension()));
  collective.require_equal(hash_of_rounding(),
                           "ranks must have the same version of orthodict, and processors and libraries that round "
                           "alike: those of this one differ");
}

std::uint64_t hash_of_rounding() {
  constexpr Index kSize = 37;
  const auto wave = [](Index i, Index j) { return std::sin(static_cast<double>(1 + i + kSize * j)); };
  const Matrix<double> y = Matrix<double>::NullaryExpr(kSize, 10 * kSize, wave);
  const Matrix<double> b = Matrix<double>::NullaryExpr(kSize, kSize, wave);
  const auto samples = samples_in_columns(y);
  const auto stretch = make_stretch("l4");
  engine::Workers alone(1);
  std::uint64_t hash = hash_of(ORTHODICT_VERSION);
  for (const auto arithmetic : {engine::Arithmetic::kF32, engine::Arithmetic::kF64}) {
    for (const auto output :
         {engine::PassOutput::kCorrelation, engine::PassOutput::kRegression}) {  // our kernel, and BLAS
      const engine::Pass pass(*samples, *stretch, arithmetic, alone, {});
      hash = hash_of(values_of(pass.run(b, Vector<double>::Zero(kSize), output)->correlation), hash);
    }
  }
  return hash_of(values_of(linalg::polar(b)), hash);
}

}  // namespace orthodict::solver
