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
#include "coding/row_coders.h"
#include "engine/workers.h"
#include "model/feature_names.h"
#include "orthodict/code_statistics.h"
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

// Runs work(first, count) for ranges of `rows` rows, in turn, until a signal asks to stop. What takes less time than to
// start a thread is done by the caller. `operations` are those of all rows, roughly.
void for_ranges(Index rows, Index range, double operations, const std::function<void(Index first, Index count)>& work) {
  constexpr double kQuick = 4e6;
  if (operations <= kQuick) {
    const nb::gil_scoped_release release;
    return work(0, rows);
  }
  BackgroundWork background;
  background.run([&] {
    for (Index first = 0; first < rows; first += range) {
      if (background.stop_token().stop_requested()) return;
      work(first, std::min(range, rows - first));
    }
  });
}

double operations_of(const Model& model, Index rows) {
  return static_cast<double>(rows) * static_cast<double>(model.atoms()) * static_cast<double>(model.dimension());
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

// An encoder for any samples, or for those it was made with, with what goes round it.
struct SharedEncoder {
  SharedEncoder(const Model& of, const Samples& samples, const EncodeOptions& how)
      : model(of), threads(how.threads.value_or(1)), encoder(of, samples, how) {}

  // Calls take(first, count) for ranges of rows. Ranges of whole blocks have the same bits as all samples at once.
  void for_each_range(const Samples& samples, const std::function<void(Index first, Index count)>& take) const {
    constexpr Index kRows = 16384;       // per thread
    constexpr Index kEntries = 1 << 24;  // of the codes in a range
    constexpr Index kMultiple = 256;
    const Index most = std::max(kMultiple, kEntries / model.atoms() / kMultiple * kMultiple);
    for_ranges(samples.size(), std::min<Index>(most, kRows * threads), operations_of(model, samples.size()), take);
  }

  const Model& model;
  int threads;
  coding::RowEncoder encoder;
};

void make_encoder(SharedEncoder* self, const Model& model, const AnySamples& x, const nb::dict& given) {
  const auto samples = samples_of(x, "X");
  const EncodeOptions options = options_of(given);
  options.validate(model.atoms());
  const nb::gil_scoped_release release;
  new (self) SharedEncoder(model, *samples, options);
}

template <typename Scalar>
void encode_rows(const SharedEncoder& rows, const AnySamples& x, const Output<Scalar>& out) {
  const auto samples = samples_of(x, "X");
  const auto columns = static_cast<Index>(out.shape(1));  // two for each complex coefficient
  Scalar* const target = out.data();
  rows.for_each_range(*samples, [&](Index first, Index count) {
    rows.encoder.encode_to(*samples, first, count, target + first * columns);
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
nb::tuple encode_sparse_rows(const SharedEncoder& rows, const AnySamples& x) {
  const auto samples = samples_of(x, "X");
  std::vector<double> values;
  std::vector<Index> columns, begin = {0};
  rows.for_each_range(*samples, [&](Index first, Index count) {
    const SparseCodes codes = rows.encoder.encode_sparse(*samples, first, count);
    const Index before = begin.back();
    values.insert(values.end(), codes.valuePtr(), codes.valuePtr() + codes.nonZeros());
    columns.insert(columns.end(), codes.innerIndexPtr(), codes.innerIndexPtr() + codes.nonZeros());
    for (Index i = 1; i <= count; ++i) begin.push_back(before + codes.outerIndexPtr()[i]);
  });
  return nb::make_tuple(array_of(std::move(values)), array_of(std::move(columns)), array_of(std::move(begin)));
}

template <typename Scalar>
void decode_rows(const Model& model, const AnySamples& x, const Output<Scalar>& out, int threads) {
  constexpr Index kBlock = 1024;
  const auto codes = samples_of(x, "X");
  const coding::RowDecoder decoder(model);
  Scalar* const target = out.data();
  const auto columns = static_cast<Index>(out.shape(1));
  const Index range = Index{16} * kBlock * threads;
  for_ranges(codes->size(), range, operations_of(model, codes->size()), [&](Index first, Index count) {
    const Index blocks = (count + kBlock - 1) / kBlock;
    engine::Workers workers(static_cast<int>(std::clamp<Index>(blocks, 1, threads)));
    workers.for_each(workers.count(), blocks, [&](Index block) {
      const Index begin = first + block * kBlock;
      decoder.decode_to(*codes, begin, std::min(kBlock, first + count - begin), target + begin * columns);
    });
  });
}

// Mean and deviation of the codes of the rows of x, per atom.
nb::tuple statistics_of_codes(const Model& model, const AnySamples& x, const nb::dict& given) {
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

Vector<double> thresholds(const Model& model, const AnySamples& x, const std::string& name, const std::string& rule,
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
             const Vector<double>& resampled_found, const std::string& coder, bool is_complex) {
            Model model{dictionary,          analysis,        mean,  metadata,  confidence, stability, found,
                        resampled_stability, resampled_found, coder, is_complex};
            model.validate("model");
            new (self) Model(std::move(model));
          },
          "dictionary"_a, "analysis"_a, "mean"_a, "confidence"_a, "metadata"_a, "stability"_a, "found"_a,
          "resampled_stability"_a, "resampled_found"_a, "coder"_a, "is_complex"_a)
      .def_prop_ro("dictionary", &view<&Model::dictionary>, nb::rv_policy::reference_internal)
      .def_prop_ro("analysis", &view<&Model::analysis>, nb::rv_policy::reference_internal)
      .def_prop_ro("mean", &view<&Model::mean>, nb::rv_policy::reference_internal)
      .def_prop_ro("confidence", &view<&Model::confidence>, nb::rv_policy::reference_internal)
      .def_prop_ro("stability", &view<&Model::stability>, nb::rv_policy::reference_internal)
      .def_prop_ro("found", &view<&Model::found>, nb::rv_policy::reference_internal)
      .def_prop_ro("resampled_stability", &view<&Model::resampled_stability>, nb::rv_policy::reference_internal)
      .def_prop_ro("resampled_found", &view<&Model::resampled_found>, nb::rv_policy::reference_internal)
      .def("stable", &stable_atoms)
      .def_prop_ro("shape", [](const Model& model) { return nb::make_tuple(model.atoms(), model.features()); })
      .def_ro("metadata", &Model::metadata)
      .def_ro("coder", &Model::coder)
      .def_ro("is_complex", &Model::is_complex);
  module.def("feature_names", &feature_names, "model"_a);
  module.def(
      "name_features", [](Model& model, const std::vector<std::string>& names) { name_features(names, &model); },
      "model"_a, "names"_a);
  module.def("require_feature_names", &require_feature_names, "model"_a, "names"_a, "samples"_a,
             "Raises an error if the names differ from the model's.");
  module.def("load_model", &load_model, "path"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "save_model", [](const std::string& path, const Model& model) { save_model(path, model); }, "path"_a, "model"_a,
      nb::call_guard<nb::gil_scoped_release>());
  nb::class_<SharedEncoder>(module, "Encoder", "Encodes rows; what all codes share is computed once.")
      .def("__init__", &make_encoder, "model"_a, "x"_a, "options"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("depends_on_samples", [](const SharedEncoder& self) { return self.encoder.depends_on_samples(); })
      .def("encode", &encode_rows<float>, "x"_a, "out"_a, "Writes the codes of the rows of x to the rows of out.")
      .def("encode", &encode_rows<double>, "x"_a, "out"_a)
      .def("encode_sparse", &encode_sparse_rows, "x"_a,
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
