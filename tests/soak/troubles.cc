// SPDX-License-Identifier: Apache-2.0
// Faults in the data and options of a fit. Files and checkpoints are damaged where they are used.
#include <algorithm>
#include <cmath>
#include <limits>

#include "plan.h"

namespace orthodict::soak {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Options that are illegal regardless of the others, and how the message must begin.
struct BadOption {
  std::string message;
  void (*set)(Options*, Index features);
};

void use_msp(Options* options) {
  *options = Options();
  options->method = Method::kMsp;
}

const BadOption kBadOptions[] = {
    {"tolerance", [](Options* o, Index) { o->tolerance = -1; }},
    {"tolerance", [](Options* o, Index) { o->tolerance = kNan; }},
    {"tolerance", [](Options* o, Index) { o->tolerance = kInfinity; }},
    {"max_iterations", [](Options* o, Index) { o->max_iterations = -1; }},
    {"time_limit", [](Options* o, Index) { o->time_limit = 0; }},
    {"time_limit", [](Options* o, Index) { o->time_limit = kNan; }},
    {"checkpoint_every", [](Options* o, Index) { o->checkpoint_every = -1; }},
    {"checkpoint", [](Options* o, Index) { o->checkpoint = "-"; }},
    {"resume", [](Options* o, Index) { o->resume = "-"; }},
    {"atoms", [](Options* o, Index) { o->atoms = 0; }},
    {"stretch", [](Options* o, Index) { use_msp(o), o->stretch = "l5"; }},
    {"stretch", [](Options* o, Index) { use_msp(o), o->stretch = "power:2"; }},
    {"stretch", [](Options* o, Index) { use_msp(o), o->stretch = "mixture:0.5,1"; }},
    {"stretch", [](Options* o, Index) { use_msp(o), o->stretch = ""; }},
    {"step", [](Options* o, Index) { use_msp(o), o->step = 0; }},
    {"step", [](Options* o, Index) { use_msp(o), o->step = kNan; }},
    {"theta", [](Options* o, Index) { use_msp(o), o->theta = 1.5; }},
    {"theta", [](Options* o, Index) { *o = Options(), o->theta = 0.5; }},
    {"theta", [](Options* o, Index) { use_msp(o), o->stretch = "l3", o->remove_bias = true, o->theta = 0.5; }},
    {"bias_fraction", [](Options* o, Index) { use_msp(o), o->bias_fraction = 0; }},
    {"remove_bias", [](Options* o, Index) { use_msp(o), o->stretch = "hard", o->remove_bias = true; }},
    {"remove_bias", [](Options* o, Index) { *o = Options(), o->remove_bias = false; }},
    {"whiten", [](Options* o, Index) { o->dictionary = Dictionary::kComplete, o->whiten = Whitening::kNone; }},
    // Options that are illegal for these data only, so nothing else in the plan may be illegal.
    {"atoms", [](Options* o, Index n) { use_msp(o), o->atoms = n + 1; }},
    {"initial_dictionary",
     [](Options* o, Index n) {
       use_msp(o), o->init = Initialization::kGiven;
       o->initial_dictionary.setOnes(n + 1, n);
     }},
    {"initial_dictionary",
     [](Options* o, Index n) {
       use_msp(o), o->init = Initialization::kGiven;
       o->initial_dictionary.setConstant(n, n, kNan);
     }},
    {"initial_dictionary",
     [](Options* o, Index n) {
       use_msp(o), o->init = Initialization::kGiven;
       o->initial_dictionary.setZero(n, n);
     }},
};

void spoil_entry(Plan* plan, double value, const std::string& message, Draw* draw) {
  plan->y(draw->integer(0, plan->y.rows() - 1), draw->integer(0, plan->y.cols() - 1)) = value;
  plan->expected = {.summary = false, .data = {message}};
  // A lone sample equals its mean, however large it is.
  if (std::isfinite(value) && plan->y.cols() == 1) plan->expected.data.emplace_back("there is nothing to learn");
}

void spoil_option(Plan* plan, Draw* draw) {
  const BadOption& bad = draw->one_of(kBadOptions);
  bad.set(&plan->options, plan->y.rows());
  plan->expected = {.summary = false, .option = {bad.message + " = "}, .data = {"there is nothing to learn"}};
}

// That iteration may never be reached.
void interrupt_callback(Plan* plan, bool throws, Draw* draw) {
  const auto iteration = static_cast<int>(draw->integer(0, 10));
  plan->expected.own = throws;
  // Iteration 0 is always reached, unless data or options are illegal.
  if (iteration == 0 && throws) plan->expected.summary = false;
  plan->options.callback = [iteration, throws](const Iterate& iterate) {
    iterate.model().validate("model of an iterate");
    if (iterate.record().iteration < iteration) return false;
    if (throws) throw Own();
    return true;
  };
}

// A file that can't be read, whatever the options.
void expect_no_file(Plan* plan) {
  plan->expected = {.summary = false, .data = {"samples", "has no images"}};
  if (plan->form == Form::kRaw && plan->trouble == Trouble::kTruncated) plan->expected.option = {"dimension = "};
  // Truncated text and raw files are still legal.
  const bool may_pass = (plan->form == Form::kCsv && plan->trouble == Trouble::kTruncated) || plan->form == Form::kRaw;
  if (!may_pass || plan->trouble == Trouble::kMissing || plan->trouble == Trouble::kEmpty ||
      plan->trouble == Trouble::kFolder) {
    return;
  }
  plan->expected.summary = true;
  plan->expected.option = {"dimension = ", "atoms = ", "initial_dictionary = ", "precision = ", "stretch = "};
}

}  // namespace

void make_trouble(Plan* plan, Draw* draw) {
  switch (plan->trouble) {
    case Trouble::kNan:
      return spoil_entry(plan, kNan, "all values must be finite", draw);
    case Trouble::kInfinity:
      return spoil_entry(plan, draw->chance(0.5) ? kInfinity : -kInfinity, "all values must be finite", draw);
    case Trouble::kOverflow:
      return spoil_entry(plan, 1e300, "their squares overflow", draw);
    case Trouble::kZeros:
      plan->y.setZero();
      // Zero is in the middle of the types without a sign: there the samples are equal, but not zero.
      if (plan->type != ElementType::kF64 && plan->type != ElementType::kF32) return;
      plan->expected = {.summary = false, .data = {"there is nothing to learn"}};
      return;
    case Trouble::kNoSamples:
      plan->y.resize(plan->y.rows(), 0);
      plan->expected = {.summary = false, .data = {""}};
      return;
    case Trouble::kBadOption:
      return spoil_option(plan, draw);
    case Trouble::kCallbackThrows:
      return interrupt_callback(plan, true, draw);
    case Trouble::kCallbackStops:
      return interrupt_callback(plan, false, draw);
    case Trouble::kStoppedBefore: {
      std::stop_source stop;
      stop.request_stop();
      plan->options.stop = stop.get_token();
      plan->expected = {.summary = false, .stopped = true};
      return;
    }
    case Trouble::kTimeIsUp:
      plan->options.time_limit = 1e-9;  // expires immediately, so that the outcome is deterministic
      return;
    case Trouble::kSamplesThrow:
      plan->expected.own = true;
      plan->expected.data.emplace_back(kOwnMessage);
      return;
    case Trouble::kMissing:
    case Trouble::kTruncated:
    case Trouble::kEmpty:
    case Trouble::kGarbage:
    case Trouble::kFolder:
      return expect_no_file(plan);
    case Trouble::kInterrupted:
    case Trouble::kResumeDamaged:
    case Trouble::kResumeOther:
      plan->options.time_limit.reset();
      return;
    case Trouble::kCheckpointNowhere:
    case Trouble::kCheckpointFull:
      // One at every iteration, each longer than the last: not too many.
      plan->options.max_iterations = std::min(plan->options.max_iterations.value_or(30), 30);
      return;
    case Trouble::kNone:
    case Trouble::kReplaced:
      return;
  }
}

}  // namespace orthodict::soak
