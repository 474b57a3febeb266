// SPDX-License-Identifier: Apache-2.0
#include "orthodict/fit.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "arrays.h"
#include "baselines/any_method.h"
#include "bindings.h"
#include "conductor.h"
#include "engine/collective.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "ranks.h"

namespace orthodict::python {
namespace {

using namespace nanobind::literals;

// Everything that a fit can be asked, by the names of the command line.
struct FitOptions {
  std::string method = "auto";
  Options options;
  baselines::Parameters parameters;
};

// What a callback sees. The iterate itself is gone when the callback returns.
struct IterateView {
  IterationRecord record;
  const Iterate* iterate = nullptr;

  [[nodiscard]] Model model() const {
    if (iterate == nullptr) throw nb::value_error("the model of an iterate is there only while the callback runs");
    return iterate->model();
  }
};

nb::dict to_dict(const Summary& s) {
  nb::dict d;
  d["termination"] = std::string(name_of(s.termination));
  d["message"] = s.message;
  d["warnings"] = s.warnings;
  d["dimension"] = s.dimension;
  d["samples"] = s.samples;
  d["rank"] = s.rank;
  d["rms"] = s.rms;
  d["method"] = s.method;
  d["dictionary"] = std::string(name_of(s.dictionary));
  d["center"] = s.center;
  d["normalize"] = std::string(name_of(s.normalize));
  d["atoms"] = s.atoms;
  d["stretch"] = s.stretch.empty() ? std::nullopt : std::optional(s.stretch);
  d["remove_bias"] = s.remove_bias;
  d["precision"] = std::string(name_of(s.precision));
  d["dependence"] = s.dependence;
  d["set_aside"] = s.set_aside;
  d["tolerance"] = s.tolerance;
  d["threads"] = s.threads;
  d["ranks"] = s.ranks;
  d["bytes_sent"] = s.bytes_sent;
  d["theta"] = s.theta;
  d["noise"] = s.noise;
  d["established"] = s.established;
  d["iterations"] = s.iterations;
  d["passes"] = s.passes;
  d["objective"] = s.objective;
  d["checkpoint_error"] = s.checkpoint_error;
  d["moments_seconds"] = s.moments_seconds;
  d["pass_seconds"] = s.pass_seconds;
  d["projection_seconds"] = s.projection_seconds;
  d["total_seconds"] = s.total_seconds;
  d["report"] = s.full_report();
  nb::dict parameters;
  for (const auto& [name, value] : s.parameters) parameters[name.c_str()] = value;
  d["parameters"] = parameters;
  nb::list history;
  for (const IterationRecord& r : s.history) {
    history.append(
        nb::make_tuple(r.iteration, r.objective, r.step, r.seconds, std::string(name_of(r.stage)), r.samples));
  }
  d["history"] = history;
  return d;
}

// Does something at the end of a scope, however that is left.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> last) : last_(std::move(last)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { last_(); }

 private:
  std::function<void()> last_;
};

bool is_true(const nb::object& answer) {
  const int truth = PyObject_IsTrue(answer.ptr());
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

// Whose samples they are: those of all ranks, or those of this one.
enum class Owner { kAll, kRank };

// `open` makes the samples, without the interpreter. `callback` takes an IterateView and tells whether to stop; None is
// none, as it is for `communicator`.
std::pair<Model, nb::dict> run(const std::function<std::unique_ptr<Samples>()>& open, Owner owner,
                               const FitOptions& asked, const nb::object& callback, const nb::object& communicator) {
  Conductor conductor;
  Options options = asked.options;
  options.ranks = ranks_of(communicator);
  options.stop = conductor.stop_token();
  if (!callback.is_none()) {
    options.callback = [&](const Iterate& iterate) {
      bool stop = false;
      const bool well = conductor.call([&] {
        const nb::object view = nb::cast(IterateView{iterate.record(), &iterate});
        const AtEnd gone([&] { nb::cast<IterateView&>(view).iterate = nullptr; });
        stop = is_true(callback(view));
      });
      // Other ranks are to raise too, rather than to take the run for stopped.
      if (!well && options.ranks) throw Error(Fault::kData, "a callback raised an exception");
      return stop || !well;
    };
  }
  std::optional<FitResult> result;
  conductor.run([&] {
    baselines::AnyMethod method;
    std::unique_ptr<Samples> samples;
    engine::Collective(options.ranks.get()).together([&] {
      method = baselines::parse_method("method", asked.method);
      baselines::validate(method, options, asked.parameters);
      samples = open();
    });
    std::unique_ptr<Samples> of_all;
    if (options.ranks && owner == Owner::kRank) of_all = samples_of_ranks(*samples, *options.ranks);
    result = baselines::fit(of_all ? *of_all : *samples, method, options, asked.parameters);
  });
  return {std::move(result->model), to_dict(result->summary)};
}

// The options are written from Python one by one; one that isn't written stays unset.
template <typename Enum>
struct Plain {
  using Type = Enum;
};
template <typename Enum>
struct Plain<std::optional<Enum>> {
  using Type = Enum;
};

template <typename Value>
void bind_name(nb::class_<FitOptions>& bound, const char* option, Value Options::*field) {
  bound.def_prop_rw(option, nullptr, [field, option](FitOptions& o, const std::string& name) {
    o.options.*field = parse_name<typename Plain<Value>::Type>(option, name);
  });
}
template <typename Value>
void bind_value(nb::class_<FitOptions>& bound, const char* option, Value Options::*field) {
  bound.def_prop_rw(option, nullptr,
                    [field](FitOptions& o, const typename Plain<Value>::Type& value) { o.options.*field = value; });
}

void bind_options(nb::module_& module) {
  nb::class_<FitOptions> bound(module, "Options", "What to learn and how; docs/options.md explains each.");
  bound.def(nb::init<>()).def_rw("method", &FitOptions::method);
  bind_value(bound, "stretch", &Options::stretch);
  bind_name(bound, "dictionary", &Options::dictionary);
  bind_value(bound, "remove_bias", &Options::remove_bias);
  bind_value(bound, "theta", &Options::theta);
  bind_value(bound, "bias_fraction", &Options::bias_fraction);
  bind_value(bound, "step", &Options::step);
  bind_name(bound, "whiten", &Options::whiten);
  bind_value(bound, "center", &Options::center);
  bind_name(bound, "normalize", &Options::normalize);
  bound.def_prop_rw("atoms", nullptr, [](FitOptions& o, const std::variant<Index, double>& value) {
    std::visit([&o](auto number) { o.options.atoms = number; }, value);
  });
  bind_name(bound, "precision", &Options::precision);
  bind_value(bound, "max_iterations", &Options::max_iterations);
  bind_value(bound, "tolerance", &Options::tolerance);
  bind_value(bound, "time_limit", &Options::time_limit);
  bind_value(bound, "seed", &Options::seed);
  bind_value(bound, "threads", &Options::threads);
  bind_value(bound, "checkpoint", &Options::checkpoint);
  bind_value(bound, "checkpoint_every", &Options::checkpoint_every);
  bind_value(bound, "resume", &Options::resume);
  bind_name(bound, "init", &Options::init);
  bind_value(bound, "initial_dictionary", &Options::initial_dictionary);
  bound.def_prop_rw("sparsity", nullptr, [](FitOptions& o, Index value) { o.parameters.ksvd.sparsity = value; })
      .def_prop_rw("penalty", nullptr, [](FitOptions& o, double value) { o.parameters.online.penalty = value; })
      .def_prop_rw("truth", nullptr,
                   [](FitOptions& o, const RowMatrix<double>& value) { o.parameters.subgradient.truth = value; });
}

}  // namespace

void bind_fit(nb::module_& module) {
  bind_options(module);
  nb::class_<IterateView>(module, "Iterate", "What a callback sees after an iteration.")
      .def_prop_ro("iteration", [](const IterateView& v) { return v.record.iteration; })
      .def_prop_ro("objective", [](const IterateView& v) { return v.record.objective; })
      .def_prop_ro("step", [](const IterateView& v) { return v.record.step; })
      .def_prop_ro("seconds", [](const IterateView& v) { return v.record.seconds; })
      .def_prop_ro("stage", [](const IterateView& v) { return std::string(name_of(v.record.stage)); })
      .def_prop_ro("samples", [](const IterateView& v) { return v.record.samples; })
      .def("model", &IterateView::model, "The model as it would be if the run ended here.");
  module.def(
      "fit",
      [](const AnyArray& x, const std::string& name, const FitOptions& options, const nb::object& callback,
         const nb::object& communicator) {
        return run([&] { return samples_of(x, name); }, Owner::kRank, options, callback, communicator);
      },
      "x"_a, "name"_a, "options"_a, "callback"_a.none(), "communicator"_a.none(),
      "Learns from the rows of an array, and those of other ranks.");
  module.def(
      "fit_file",
      [](const std::string& path, bool columns, const FitOptions& options, const nb::object& callback,
         const nb::object& communicator) {
        const auto read = [&] { return read_samples(path, columns ? Layout::kColumns : Layout::kRows); };
        return run(read, Owner::kAll, options, callback, communicator);
      },
      "path"_a, "columns"_a, "options"_a, "callback"_a.none(), "communicator"_a.none(),
      "Learns from the samples in a file, which all ranks see.");
}

}  // namespace orthodict::python
