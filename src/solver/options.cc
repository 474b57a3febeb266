// SPDX-License-Identifier: Apache-2.0
#include "solver/options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "orthodict/error.h"
#include "orthodict/fit.h"
#include "solver/field_values.h"
#include "solver/option_fields.h"

namespace orthodict {
namespace solver {

Method method_of(const Options& options) {
  const bool named = options.stretch || options.custom_stretch;
  return named ? Method::kMsp : options.method;
}

Initialization init_of(const Options& options) {
  const bool is_given = options.initial_dictionary.size() > 0;
  return options.init.value_or(is_given ? Initialization::kGiven : Initialization::kRandom);
}

Dictionary dictionary_of(const Options& options) {
  if (options.dictionary != Dictionary::kAuto) return options.dictionary;
  if (options.whiten) return *options.whiten == Whitening::kNone ? Dictionary::kOrthogonal : Dictionary::kComplete;
  return options.method == Method::kMsp ? Dictionary::kOrthogonal : Dictionary::kAuto;
}

Options with_dictionary_for(const Options& options, Index dimension) {
  Options result = options;
  const bool is_open = options.dictionary == Dictionary::kAuto && !options.whiten &&
                       init_of(options) == Initialization::kRandom && method_of(options) == Method::kAuto;
  const std::optional<Index> atoms = options.atoms ? options.atoms->count() : std::nullopt;
  if (is_open && atoms.value_or(0) > dimension) result.dictionary = Dictionary::kOvercomplete;
  return result;
}

void refuse_for_complex(const Options& options) {
  if (options.dictionary == Dictionary::kOvercomplete) {
    throw option_error("dictionary", "overcomplete", "auto, complete or orthogonal for complex samples");
  }
  if (options.runs > 1) throw option_error("runs", text_of(options.runs), "1 for complex samples");
  if (options.orient.value_or(false)) throw option_error("orient", "true", "false for complex samples");
}

Options resolved(const Options& options) {
  Options resolved = options;
  resolved.method = method_of(options);
  if (resolved.method == Method::kMsp) resolved.stretch = stretch_of(options)->name();
  resolved.init = init_of(options);
  return resolved;
}

std::shared_ptr<const Stretch> stretch_of(const Options& options) {
  return options.custom_stretch ? options.custom_stretch : make_stretch(options.stretch.value_or("l4"));
}

}  // namespace solver

template <>
std::span<const Named<Method>> names_of() {
  static constexpr std::array<Named<Method>, 2> kNames = {{
      {Method::kAuto, "auto", "explore, refine, finish: exact recovery without parameters; msp if a stretch is named"},
      {Method::kMsp, "msp", "match, stretch, project with one stretch: the paper's algorithms"},
  }};
  return kNames;
}

template <>
std::span<const Named<Dictionary>> names_of() {
  static constexpr std::array<Named<Dictionary>, 4> kNames = {{
      {Dictionary::kAuto, "auto", "orthogonal where the covariance is a multiple of the identity, else complete"},
      {Dictionary::kComplete, "complete", "recover the sources of any invertible mixture: samples are whitened"},
      {Dictionary::kOrthogonal, "orthogonal", "an orthonormal basis in which the samples as they are become sparse"},
      {Dictionary::kOvercomplete, "overcomplete", "more atoms than dimensions, as many as the samples show"},
  }};
  return kNames;
}

template <>
std::span<const Named<Stage>> names_of() {
  static constexpr std::array<Named<Stage>, 5> kNames = {{
      {Stage::kMsp, "msp", "match, stretch, project with the stretch that was named"},
      {Stage::kExplore, "explore", "a shrinkage stretch on a random part of the samples"},
      {Stage::kRefine, "refine", "the posterior mean of a fitted mixture"},
      {Stage::kFinish, "finish", "falling hard thresholds"},
      {Stage::kBaseline, "baseline", "an iteration of a method outside the library"},
  }};
  return kNames;
}

template <>
std::span<const Named<Whitening>> names_of() {
  static constexpr std::array<Named<Whitening>, 3> kNames = {{
      {Whitening::kNone, "none", "use the samples as they are: the dictionary is orthogonal"},
      {Whitening::kZca, "zca", "precondition by C^(-1/2), the paper's way to a general complete dictionary"},
      {Whitening::kPca, "pca", "principal components at unit variance; with fewer atoms, the leading ones"},
  }};
  return kNames;
}

template <>
std::span<const Named<Normalization>> names_of() {
  static constexpr std::array<Named<Normalization>, 3> kNames = {{
      {Normalization::kNone, "none", "learn from samples as they are"},
      {Normalization::kSamples, "samples", "learn from samples at one length (whitened), after centring"},
      {Normalization::kAuto, "auto", "both, and keep the one whose atoms have more confidence (method auto)"},
  }};
  return kNames;
}

template <>
std::span<const Named<Precision>> names_of() {
  static constexpr std::array<Named<Precision>, 3> kNames = {{
      {Precision::kF32, "f32", "single precision"},
      {Precision::kF64, "f64", "double precision"},
      {Precision::kMixed, "mixed",
       "passes in single precision, sums over blocks and projections in double; auto ends in double"},
  }};
  return kNames;
}

template <>
std::span<const Named<Resampling>> names_of() {
  static constexpr std::array<Named<Resampling>, 3> kNames = {{
      {Resampling::kHalves, "halves", "random halves of the samples, each with its complement"},
      {Resampling::kBootstrap, "bootstrap", "as many samples, drawn with replacement"},
      {Resampling::kNone, "none", "all samples only"},
  }};
  return kNames;
}

template <>
std::span<const Named<Initialization>> names_of() {
  static constexpr std::array<Named<Initialization>, 3> kNames = {{
      {Initialization::kRandom, "random", "a Haar-random orthogonal matrix"},
      {Initialization::kIdentity, "identity", "the identity"},
      {Initialization::kGiven, "given", "the atoms in a file"},
  }};
  return kNames;
}

template <>
std::span<const Named<Termination>> names_of() {
  static constexpr std::array<Named<Termination>, 5> kNames = {{
      {Termination::kConverged, "converged", "the step fell below the tolerance"},
      {Termination::kMaxIterations, "max_iterations", "the iterations allowed were used up"},
      {Termination::kTimeLimit, "time_limit", "the time allowed was used up"},
      {Termination::kStopped, "stopped", "it was stopped before it converged"},
      {Termination::kNotEstablished, "not_established", "samples that weren't used confirm no atom"},
  }};
  return kNames;
}

namespace {

// Options that say how msp steps mean nothing to method auto, which chooses its steps itself.
void refuse_for_auto(const Options& options) {
  solver::for_each_option([&](const auto& field) {
    if (field.held_by == solver::HeldBy::kMsp && !solver::is_default(field, options)) {
      throw option_error(std::string(field.name), solver::text_of(options.*field.member),
                         "left out with method auto; name a stretch, or method msp, to use it");
    }
  });
}

// An overcomplete dictionary is learned by method auto in one process, from the samples as they are, without options of
// its own.
void check_overcomplete(const Options& options) {
  const auto refuse = [](bool given, const std::string& option, const std::string& value) {
    if (given) throw option_error(option, value, "left out with an overcomplete dictionary");
  };
  if (solver::method_of(options) != Method::kAuto) {
    throw option_error("dictionary", "overcomplete", "auto, complete or orthogonal unless the method is auto");
  }
  if (options.atoms && options.atoms->share()) {
    throw option_error("atoms", options.atoms->text(), "an integer ≥ 1 with an overcomplete dictionary");
  }
  refuse(options.whiten.has_value(), "whiten", solver::text_of(options.whiten));
  refuse(options.normalize != Normalization::kNone, "normalize", solver::text_of(options.normalize));
  refuse(options.precision.value_or(Precision::kMixed) != Precision::kMixed, "precision",
         solver::text_of(options.precision));
  const Initialization init = solver::init_of(options);
  refuse(init != Initialization::kRandom, "init", std::string(name_of(init)));
  refuse(options.max_iterations.has_value(), "max_iterations", solver::text_of(options.max_iterations));
  refuse(options.tolerance.has_value(), "tolerance", solver::text_of(options.tolerance));
  refuse(!options.checkpoint.empty(), "checkpoint", options.checkpoint);
  refuse(!options.resume.empty(), "resume", options.resume);
  refuse(options.ranks && options.ranks->count() > 1, "ranks", "several");
  refuse(options.runs > 1, "runs", solver::text_of(options.runs));
}

void require_legal_values(const Options& options) {
  solver::for_each_option([&](const auto& field) {
    const auto& value = options.*field.member;
    if (field.is_legal == nullptr || !solver::is_given(value) || field.is_legal(solver::given_value(value))) return;
    throw option_error(std::string(field.name), solver::text_of(value), std::string(field.legal));
  });
}

// Its objective must be one, and it chooses its steps itself.
void check_acceleration(const Options& options, const Stretch& phi, bool removes_bias) {
  const auto refuse = [](const std::string& legal) { throw option_error("accelerate", "true", legal); };
  if (!phi.is_smooth()) refuse(fmt::format("false with stretch {}, whose derivative jumps", phi.name()));
  if (!std::isinf(options.step)) refuse("false with a finite step");
  if (options.bias_fraction != 1) refuse("false with a bias_fraction");
  if (removes_bias && solver::dictionary_of(options) != Dictionary::kComplete) {
    refuse(
        fmt::format("false with an orthogonal dictionary and bias removed{}: samples must be whitened for steps "
                    "without bias to climb an objective",
                    phi.is_subquadratic() ? fmt::format(" (the default of {})", phi.name()) : ""));
  }
}

void check_stretch_options(const Options& options) {
  if (options.normalize == Normalization::kAuto) {
    throw option_error("normalize", "auto", "none or samples with method msp, which judges no atoms");
  }
  const auto& [theta, remove_bias] = std::tie(options.theta, options.remove_bias);
  const std::shared_ptr<const Stretch> phi = solver::stretch_of(options);
  const bool removes_bias = remove_bias.value_or(phi->is_subquadratic());
  if (removes_bias && !phi->is_smooth()) {
    throw option_error("remove_bias", "true",
                       fmt::format("false with stretch {}, whose derivative jumps", phi->name()));
  }
  if (theta && removes_bias && phi->degree() != 4) {
    throw option_error(
        "theta", solver::text_of(*theta),
        fmt::format("left out when bias is removed with stretch {}: 12pθ² is the bias of l4 only", phi->name()));
  }
  if (options.accelerate.value_or(false)) check_acceleration(options, *phi, removes_bias);
}

}  // namespace

bool Atoms::is_legal() const { return count() ? *count() >= 1 : *share() > 0 && *share() < 1; }

std::string Atoms::text() const {
  if (count()) return fmt::format("{}", *count());
  return std::trunc(*share()) == *share() ? fmt::format("{:.1f}", *share()) : fmt::format("{}", *share());
}

void Options::validate() const {
  const bool is_auto = solver::method_of(*this) == Method::kAuto;
  if (is_auto) refuse_for_auto(*this);
  require_legal_values(*this);
  if (dictionary == Dictionary::kOvercomplete) check_overcomplete(*this);
  if (!is_auto) check_stretch_options(*this);
  if (runs == 1 && resample.value_or(Resampling::kNone) != Resampling::kNone) {
    throw option_error("resample", solver::text_of(resample), "left out with a single run");
  }
  if (runs == 1 && stable_only.value_or(false)) {
    throw option_error("stable_only", solver::text_of(stable_only), "left out with a single run");
  }
  if (whiten && dictionary != Dictionary::kAuto &&
      (*whiten == Whitening::kNone) != (dictionary == Dictionary::kOrthogonal)) {
    throw option_error("whiten", std::string(name_of(*whiten)),
                       fmt::format("{} with a dictionary that is {}",
                                   dictionary == Dictionary::kOrthogonal ? "none" : "zca or pca", name_of(dictionary)));
  }
}

}  // namespace orthodict
