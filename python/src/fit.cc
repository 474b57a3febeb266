// SPDX-License-Identifier: Apache-2.0
#include "orthodict/fit.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "arrays.h"
#include "background_work.h"
#include "baselines/methods.h"
#include "bindings.h"
#include "engine/collective.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/scan.h"
#include "ranks.h"
#include "solver/option_fields.h"
#include "solver/summary_fields.h"

namespace orthodict::python {
namespace {

using namespace nanobind::literals;

// The options of a fit, with the names of the command line.
struct FitOptions {
  std::string method = "auto";
  Options options;
  baselines::Parameters parameters;
};

// The argument of a callback. `iterate` is null after the callback has returned.
struct IterateView {
  IterationRecord record;
  const Iterate* iterate = nullptr;

  [[nodiscard]] Model model() const {
    if (iterate == nullptr) throw nb::value_error("the model of an iterate is available only during the callback");
    return iterate->model();
  }
};

template <typename Field>
nb::object to_python(const Field& value) {
  if constexpr (std::is_enum_v<Field>) {
    return nb::cast(std::string(name_of(value)));
  } else if constexpr (std::is_same_v<Field, std::vector<std::pair<std::string, double>>>) {
    nb::dict numbers;
    for (const auto& [name, number] : value) numbers[name.c_str()] = number;
    return numbers;
  } else if constexpr (std::is_same_v<Field, std::vector<IterationRecord>>) {
    nb::list records;
    for (const IterationRecord& r : value) {
      records.append(
          nb::make_tuple(r.iteration, r.objective, r.step, r.seconds, std::string(name_of(r.stage)), r.samples));
    }
    return records;
  } else {
    return nb::cast(value);
  }
}

nb::dict to_dict(const Summary& summary) {
  nb::dict fields;
  solver::for_each_field_of_summary([&](const auto& field) {
    const auto& value = summary.*field.member;
    const std::string name(field.name);
    fields[name.c_str()] = to_python(value);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
      if (field.is_null_when_empty && value.empty()) fields[name.c_str()] = nb::none();
    }
  });
  fields["report"] = summary.full_report();
  return fields;
}

// Calls a function at the end of a scope, also when an exception leaves it.
class ScopeExit {
 public:
  explicit ScopeExit(std::function<void()> last) : last_(std::move(last)) {}
  ScopeExit(const ScopeExit&) = delete;
  ScopeExit& operator=(const ScopeExit&) = delete;
  ~ScopeExit() { last_(); }

 private:
  std::function<void()> last_;
};

bool is_true(const nb::object& answer) {
  const int truth = PyObject_IsTrue(answer.ptr());
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

// Whether the samples are those of all ranks or of this rank only.
enum class Owner { kAll, kRank };

// Fits the samples that `open` returns; `open` is called without the GIL. `callback` takes an IterateView and returns
// whether to stop. `callback` and `communicator` may be None.
std::pair<Model, nb::dict> run(const std::function<std::unique_ptr<Samples>()>& open, Owner owner,
                               const FitOptions& asked, const nb::object& callback, const nb::object& communicator) {
  BackgroundWork background;
  Options options = asked.options;
  options.ranks = ranks_of(communicator);
  options.stop = background.stop_token();
  if (!callback.is_none()) {
    options.callback = [&](const Iterate& iterate) {
      bool stop = false;
      const bool succeeded = background.run_in_caller([&] {
        const nb::object view = nb::cast(IterateView{iterate.record(), &iterate});
        const ScopeExit invalidate([&] { nb::cast<IterateView&>(view).iterate = nullptr; });
        stop = is_true(callback(view));
      });
      // An Error makes the other ranks raise too; otherwise they would report a stopped run.
      if (!succeeded && options.ranks) throw Error(Fault::kData, "a callback raised an exception");
      return stop || !succeeded;
    };
  }
  std::optional<FitResult> result;
  background.run([&] {
    const baselines::AnyMethod* method = nullptr;
    std::unique_ptr<Samples> samples;
    engine::Collective(options.ranks.get()).together([&] {  // an error on one rank is raised on all
      method = &baselines::find_method("method", asked.method, &options);
      baselines::validate(*method, options, asked.parameters);
      samples = open();
    });
    std::unique_ptr<Samples> of_all;
    if (options.ranks && owner == Owner::kRank) of_all = samples_of_ranks(*samples, *options.ranks);
    result = method->fit(of_all ? *of_all : *samples, options, asked.parameters);
  });
  return {std::move(result->model), to_dict(result->summary)};
}

// Each number that was tried as a tuple, in the order of ScannedNumber.
nb::dict to_dict(const Scan& scan) {
  nb::list numbers;
  for (const ScannedNumber& n : scan.numbers) {
    numbers.append(nb::make_tuple(n.atoms, n.stable, n.robust, n.singles, n.conserved, n.held_out, n.seconds));
  }
  nb::dict result;
  result["numbers"] = numbers;
  result["recommended"] = scan.recommended;
  result["reason"] = scan.reason;
  result["optica"] = scan.optica;
  result["optica_reason"] = scan.optica_reason;
  return result;
}

nb::dict run_scan(const AnySamples& x, const std::string& name, const FitOptions& asked,
                  const std::vector<Index>& atoms, int refinements) {
  BackgroundWork background;
  Scan result;
  background.run([&] {
    ScanOptions options{.atoms = atoms, .fit = asked.options, .refinements = refinements};
    options.fit.stop = background.stop_token();
    options.fit.method = parse_name<Method>("method", asked.method);
    result = scan(*samples_of(x, name), options);
  });
  return to_dict(result);
}

// Makes an option a write-only property. Options that Python sets otherwise (method, ranks, callback) or doesn't have
// (custom_stretch) are no properties.
template <typename Field>
void bind_option(nb::class_<FitOptions>& bound, const solver::OptionField<Field>& field) {
  using Value = solver::Given<Field>;
  const std::string name(field.name);
  const auto member = field.member;
  if constexpr (std::is_same_v<Field, Method>) {
    bound.def_rw(name.c_str(), &FitOptions::method);
  } else if constexpr (std::is_enum_v<Value>) {
    bound.def_prop_rw(name.c_str(), nullptr, [member, name](FitOptions& o, const std::string& text) {
      o.options.*member = parse_name<Value>(name, text);
    });
  } else if constexpr (std::is_same_v<Value, Atoms>) {
    bound.def_prop_rw(name.c_str(), nullptr, [member](FitOptions& o, const std::variant<Index, double>& value) {
      std::visit([&](auto number) { o.options.*member = number; }, value);
    });
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string> ||
                       std::is_same_v<Value, RowMatrix<double>>) {
    bound.def_prop_rw(name.c_str(), nullptr,
                      [member](FitOptions& o, const Value& value) { o.options.*member = value; });
  }
}

void bind_options(nb::module_& module) {
  nb::class_<FitOptions> bound(module, "Options", "Options of a fit, explained in docs/options.md.");
  bound.def(nb::init<>());
  solver::for_each_option([&](const auto& field) { bind_option(bound, field); });
  // Options of baselines.
  bound.def_prop_rw("sparsity", nullptr, [](FitOptions& o, Index value) { o.parameters.ksvd.sparsity = value; })
      .def_prop_rw("penalty", nullptr, [](FitOptions& o, double value) { o.parameters.online.penalty = value; })
      .def_prop_rw("truth", nullptr,
                   [](FitOptions& o, const RowMatrix<double>& value) { o.parameters.subgradient.truth = value; });
}

}  // namespace

void bind_fit(nb::module_& module) {
  bind_options(module);
  nb::class_<IterateView>(module, "Iterate", "The argument of a callback, after an iteration.")
      .def_prop_ro("iteration", [](const IterateView& v) { return v.record.iteration; })
      .def_prop_ro("objective", [](const IterateView& v) { return v.record.objective; })
      .def_prop_ro("step", [](const IterateView& v) { return v.record.step; })
      .def_prop_ro("seconds", [](const IterateView& v) { return v.record.seconds; })
      .def_prop_ro("stage", [](const IterateView& v) { return std::string(name_of(v.record.stage)); })
      .def_prop_ro("samples", [](const IterateView& v) { return v.record.samples; })
      .def("model", &IterateView::model, "The model as it would be if the run ended here.");
  module.def(
      "fit",
      [](const AnySamples& x, const std::string& name, const FitOptions& options, const nb::object& callback,
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
  module.def("scan", &run_scan, "x"_a, "name"_a, "options"_a, "atoms"_a, "refinements"_a,
             "Fits several numbers of atoms to the rows of an array.");
}

}  // namespace orthodict::python
