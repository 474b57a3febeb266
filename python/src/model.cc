// SPDX-License-Identifier: Apache-2.0
#include "orthodict/model.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "arrays.h"
#include "background_work.h"
#include "bindings.h"
#include "engine/workers.h"
#include "orthodict/error.h"

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

template <typename Scalar>
void encode_rows(const Model& model, const AnyArray& x, const Output<Scalar>& out, std::optional<Index> top,
                 std::optional<double> threshold, int threads) {
  const auto samples = samples_of(x, "X");
  const EncodeOptions options{.top = top, .threshold = threshold};
  options.validate(model.atoms());
  fill_rows(out, threads, [&](Index first, Index count) { return encode(model, *samples, first, count, options); });
}

template <typename Scalar>
void decode_rows(const Model& model, const AnyArray& x, const Output<Scalar>& out, int threads) {
  const auto codes = samples_of(x, "X");
  fill_rows(out, threads, [&](Index first, Index count) { return decode(model, *codes, first, count); });
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A learned dictionary: atoms, analysis matrix, mean, confidence and metadata.")
      .def(
          "__init__",
          [](Model* self, const RowMatrix<double>& dictionary, const RowMatrix<double>& analysis,
             const Vector<double>& mean, const Vector<double>& confidence, const std::string& metadata,
             const Vector<double>& stability, const Vector<double>& found, const Vector<double>& half_stability,
             const Vector<double>& half_found) {
            Model model{dictionary, analysis, mean, metadata, confidence, stability, found, half_stability, half_found};
            model.validate("model");
            new (self) Model(std::move(model));
          },
          "dictionary"_a, "analysis"_a, "mean"_a, "confidence"_a, "metadata"_a, "stability"_a, "found"_a,
          "half_stability"_a, "half_found"_a)
      .def_prop_ro("dictionary", &view<&Model::dictionary>, nb::rv_policy::reference_internal)
      .def_prop_ro("analysis", &view<&Model::analysis>, nb::rv_policy::reference_internal)
      .def_prop_ro("mean", &view<&Model::mean>, nb::rv_policy::reference_internal)
      .def_prop_ro("confidence", &view<&Model::confidence>, nb::rv_policy::reference_internal)
      .def_prop_ro("stability", &view<&Model::stability>, nb::rv_policy::reference_internal)
      .def_prop_ro("found", &view<&Model::found>, nb::rv_policy::reference_internal)
      .def_prop_ro("half_stability", &view<&Model::half_stability>, nb::rv_policy::reference_internal)
      .def_prop_ro("half_found", &view<&Model::half_found>, nb::rv_policy::reference_internal)
      .def("stable", &stable_atoms)
      .def_ro("metadata", &Model::metadata);
  module.def("load_model", &load_model, "path"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "save_model", [](const std::string& path, const Model& model) { save_model(path, model); }, "path"_a, "model"_a,
      nb::call_guard<nb::gil_scoped_release>());
  module.def("encode", &encode_rows<float>, "model"_a, "x"_a, "out"_a, "top"_a.none(), "threshold"_a.none(),
             "threads"_a, "Writes the codes of the rows of x to the rows of out.");
  module.def("encode", &encode_rows<double>, "model"_a, "x"_a, "out"_a, "top"_a.none(), "threshold"_a.none(),
             "threads"_a);
  module.def("decode", &decode_rows<float>, "model"_a, "x"_a, "out"_a, "threads"_a,
             "Writes the samples of the codes in the rows of x to the rows of out.");
  module.def("decode", &decode_rows<double>, "model"_a, "x"_a, "out"_a, "threads"_a);
}

}  // namespace orthodict::python
