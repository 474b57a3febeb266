// SPDX-License-Identifier: Apache-2.0
#include "orthodict/model.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "background_work.h"
#include "bindings.h"
#include "engine/workers.h"
#include "orthodict/code_statistics.h"
#include "orthodict/encoder.h"
#include "orthodict/error.h"
#include "orthodict/fit.h"

namespace orthodict::python {
namespace {

using namespace nanobind::literals;

template <typename Scalar>
using Output = nb::ndarray<Scalar, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A read-only NumPy view of a matrix or vector of a model.
template <auto kField>
auto view(const Model& model) {
  const auto& field = model.*kField;
  using Field = std::remove_cvref_t<decltype(field)>;
  if constexpr (Field::ColsAtCompileTime == 1) {
    return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(field.data(), {static_cast<std::size_t>(field.size())});
  } else {
    return nb::ndarray<nb::numpy, const double, nb::ndim<2>>(
        field.data(), {static_cast<std::size_t>(field.rows()), static_cast<std::size_t>(field.cols())});
  }
}

// Fills `out` block by block: rows [first, first + count) are the columns of work(first, count).
template <typename Scalar>
void fill_rows(const Output<Scalar>& out, int threads,
               const std::function<Matrix<double>(Index first, Index count)>& work) {
  constexpr Index kBlock = 1024;
  const auto rows = static_cast<Index>(out.shape(0));
  const auto columns = static_cast<Index>(out.shape(1));
  const Index blocks = (rows + kBlock - 1) / kBlock;
  Scalar* const target = out.data();
  BackgroundWork background;
  background.run([&] {
    engine::Workers workers(static_cast<int>(std::clamp<Index>(blocks, 1, threads)));
    workers.for_each(workers.count(), blocks, [&](Index block) {
      if (background.stop_token().stop_requested()) return;
      const Index first = block * kBlock;
      const Index count = std::min(kBlock, rows - first);
      Eigen::Map<RowMatrix<Scalar>>(target + first * columns, count, columns) =
          work(first, count).template cast<Scalar>();
    });
  });
}

// What Model.encode() was asked for, by name.
EncodeOptions options_of(const nb::dict& given) {
  EncodeOptions options;
  if (given.contains("coder")) options = parse_coder("coder", nb::cast<std::string>(given["coder"]));
  const auto take = [&given](const char* name, auto* field) {
    using Value = typename std::remove_pointer_t<decltype(field)>::value_type;
    if (given.contains(name)) *field = nb::cast<Value>(given[name]);
  };
  take("top", &options.top);
  take("threshold", &options.threshold);
  if (given.contains("refit")) options.refit = nb::cast<bool>(given["refit"]);
  take("nonzeros", &options.nonzeros);
  take("error", &options.error);
  take("penalty", &options.penalty);
  take("scale", &options.scale);
  if (given.contains("precision")) {
    options.precision = parse_name<Precision>("precision", nb::cast<std::string>(given["precision"]));
  }
  options.threads = nb::cast<int>(given["threads"]);
  return options;
}

// Encodes the rows of x range by range, until a signal asks to stop; take(first, count, encoder) is called in turn.
void encode_ranges(const Model& model, const Samples& samples, const EncodeOptions& options,
                   const std::function<void(Index first, Index count, const Encoder& encoder)>& take) {
  constexpr Index kRows = 1024;        // per thread
  constexpr Index kEntries = 1 << 22;  // of the codes in a range
  constexpr Index kMultiple = 256;     // ranges of whole blocks have the same bits as all samples at once
  const Index most = std::max(kMultiple, kEntries / model.atoms() / kMultiple * kMultiple);
  const Index range = std::min<Index>(most, kRows * options.threads.value_or(1));
  BackgroundWork background;
  background.run([&] {
    const Encoder encoder(model, samples, options);
    Index first = 0;
    do {
      if (background.stop_token().stop_requested()) return;
      const Index count = std::min(range, samples.size() - first);
      take(first, count, encoder);
      first += count;
    } while (first < samples.size());
  });
}

template <typename Scalar>
void encode_rows(const Model& model, const AnyArray& x, const Output<Scalar>& out, const nb::dict& given) {
  const auto samples = samples_of(x, "X");
  const EncodeOptions options = options_of(given);
  options.validate(model.atoms());
  Scalar* const target = out.data();
  encode_ranges(model, *samples, options, [&](Index first, Index count, const Encoder& encoder) {
    Eigen::Map<RowMatrix<Scalar>>(target + first * model.atoms(), count, model.atoms()) =
        encoder.encode(*samples, first, count).template cast<Scalar>();
  });
}

// An array of NumPy's that owns `values`.
template <typename Value>
auto array_of(std::vector<Value>&& values) {
  auto owned = std::make_unique<std::vector<Value>>(std::move(values));
  Value* const data = owned->data();
  const std::size_t size = owned->size();
  const nb::capsule owner(owned.release(), [](void* held) noexcept { delete static_cast<std::vector<Value>*>(held); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(data, {size}, owner);
}

// The codes of the rows of x as compressed sparse rows: values, columns, and where rows begin.
nb::tuple encode_sparse_rows(const Model& model, const AnyArray& x, const nb::dict& given) {
  const auto samples = samples_of(x, "X");
  const EncodeOptions options = options_of(given);
  options.validate(model.atoms());
  std::vector<double> values;
  std::vector<Index> columns, begin = {0};
  encode_ranges(model, *samples, options, [&](Index first, Index count, const Encoder& encoder) {
    const SparseCodes codes = encoder.encode_sparse(*samples, first, count);
    const Index before = begin.back();
    values.insert(values.end(), codes.valuePtr(), codes.valuePtr() + codes.nonZeros());
    columns.insert(columns.end(), codes.innerIndexPtr(), codes.innerIndexPtr() + codes.nonZeros());
    for (Index i = 1; i <= count; ++i) begin.push_back(before + codes.outerIndexPtr()[i]);
  });
  return nb::make_tuple(array_of(std::move(values)), array_of(std::move(columns)), array_of(std::move(begin)));
}

template <typename Scalar>
void decode_rows(const Model& model, const AnyArray& x, const Output<Scalar>& out, int threads) {
  const auto codes = samples_of(x, "X");
  fill_rows(out, threads, [&](Index first, Index count) { return decode(model, *codes, first, count); });
}

// Mean and deviation of the codes of the rows of x, per atom.
nb::tuple statistics_of_codes(const Model& model, const AnyArray& x, const nb::dict& given) {
  const auto samples = samples_of(x, "X");
  const EncodeOptions options = options_of(given);
  options.validate(model.atoms());
  CodeStatistics statistics;
  {
    const nb::gil_scoped_release release;
    statistics = code_statistics(model, *samples, options);
  }
  return nb::make_tuple(std::move(statistics.mean), std::move(statistics.deviation));
}

Vector<double> thresholds(const Model& model, const AnyArray& x, const std::string& name, const std::string& rule,
                          int threads) {
  const auto samples = samples_of(x, "X");
  const Thresholding how = parse_thresholding(name, rule);
  const nb::gil_scoped_release release;
  return atom_thresholds(model, *samples, how, threads);
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A learned dictionary: atoms, analysis matrix, mean, confidence and metadata.")
      .def(
          "__init__",
          [](Model* self, const RowMatrix<double>& dictionary, const RowMatrix<double>& analysis,
             const Vector<double>& mean, const Vector<double>& confidence, const std::string& metadata,
             const Vector<double>& stability, const Vector<double>& found, const Vector<double>& resampled_stability,
             const Vector<double>& resampled_found, const std::string& coder) {
            Model model{dictionary,          analysis,        mean, metadata, confidence, stability, found,
                        resampled_stability, resampled_found, coder};
            model.validate("model");
            new (self) Model(std::move(model));
          },
          "dictionary"_a, "analysis"_a, "mean"_a, "confidence"_a, "metadata"_a, "stability"_a, "found"_a,
          "resampled_stability"_a, "resampled_found"_a, "coder"_a)
      .def_prop_ro("dictionary", &view<&Model::dictionary>, nb::rv_policy::reference_internal)
      .def_prop_ro("analysis", &view<&Model::analysis>, nb::rv_policy::reference_internal)
      .def_prop_ro("mean", &view<&Model::mean>, nb::rv_policy::reference_internal)
      .def_prop_ro("confidence", &view<&Model::confidence>, nb::rv_policy::reference_internal)
      .def_prop_ro("stability", &view<&Model::stability>, nb::rv_policy::reference_internal)
      .def_prop_ro("found", &view<&Model::found>, nb::rv_policy::reference_internal)
      .def_prop_ro("resampled_stability", &view<&Model::resampled_stability>, nb::rv_policy::reference_internal)
      .def_prop_ro("resampled_found", &view<&Model::resampled_found>, nb::rv_policy::reference_internal)
      .def("stable", &stable_atoms)
      .def_ro("metadata", &Model::metadata)
      .def_ro("coder", &Model::coder);
  module.def("load_model", &load_model, "path"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "save_model", [](const std::string& path, const Model& model) { save_model(path, model); }, "path"_a, "model"_a,
      nb::call_guard<nb::gil_scoped_release>());
  module.def("encode", &encode_rows<float>, "model"_a, "x"_a, "out"_a, "options"_a,
             "Writes the codes of the rows of x to the rows of out.");
  module.def("encode", &encode_rows<double>, "model"_a, "x"_a, "out"_a, "options"_a);
  module.def("encode_sparse", &encode_sparse_rows, "model"_a, "x"_a, "options"_a,
             "The codes of the rows of x: values, columns, and where rows begin.");
  module.def("statistics_of_codes", &statistics_of_codes, "model"_a, "x"_a, "options"_a,
             "Mean and standard deviation of the codes of the rows of x, for each atom.");
  module.def("thresholds", &thresholds, "model"_a, "x"_a, "name"_a, "rule"_a, "threads"_a,
             "For each atom the size from which codes of the rows of x stand out. The name is that of the option.");
  module.def(
      "check_rule",
      [](const std::string& name, const std::string& rule) { static_cast<void>(parse_thresholding(name, rule)); },
      "name"_a, "rule"_a, "Raises an error unless this is a rule for thresholds().");
  module.def("decode", &decode_rows<float>, "model"_a, "x"_a, "out"_a, "threads"_a,
             "Writes the samples of the codes in the rows of x to the rows of out.");
  module.def("decode", &decode_rows<double>, "model"_a, "x"_a, "out"_a, "threads"_a);
}

}  // namespace orthodict::python
