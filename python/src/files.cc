// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <memory>

#include "arrays.h"
#include "bindings.h"
#include "orthodict/array.h"
#include "orthodict/io.h"
#include "orthodict/table.h"

namespace orthodict::python {
namespace {

using namespace nanobind::literals;

// The raw bytes of an array and their type, from which NumPy makes the array.
nb::tuple read(const std::string& path) {
  auto array = std::make_unique<Array>([&] {
    const nb::gil_scoped_release release;
    return read_array(path);
  }());
  nb::list shape;
  for (const Index length : array->shape) shape.append(length);
  const std::string type = to_string(array->type);
  const bool column_major = array->column_major;
  const bool byte_swapped = array->byte_swapped;
  const auto bytes = static_cast<std::size_t>(array->size()) * element_size(array->type);
  const auto* data = reinterpret_cast<const unsigned char*>(array->data);
  const nb::capsule owner(array.release(), [](void* held) noexcept { delete static_cast<Array*>(held); });
  return nb::make_tuple(nb::ndarray<nb::numpy, const unsigned char, nb::ndim<1>>(data, {bytes}, owner), type, shape,
                        column_major, byte_swapped);
}

void write(const std::string& path, const AnyArray& x) {
  constexpr Index kBlock = 1024;
  const auto samples = samples_of(x, "array");
  const bool is_single = x.dtype() == nb::dtype<float>() || x.dtype() == nb::dtype<std::complex<float>>();
  const bool is_complex = samples->is_complex();
  const ElementType type = is_complex ? (is_single ? ElementType::kC64 : ElementType::kC128)
                                      : (is_single ? ElementType::kF32 : ElementType::kF64);
  const Index columns = is_complex ? samples->dimension() / 2 : samples->dimension();
  const nb::gil_scoped_release release;
  const auto writer = open_row_writer(path, type, samples->size(), columns);
  Vector<double> scratch(samples->dimension() * kBlock);
  for (Index first = 0; first < samples->size(); first += kBlock) {
    const Index count = std::min(kBlock, samples->size() - first);
    const Block<double> block = samples->block(first, count, scratch.data());
    writer->append(Eigen::Map<const RowMatrix<double>, 0, Eigen::OuterStride<>>(block.data, count, samples->dimension(),
                                                                                Eigen::OuterStride<>(block.stride)));
  }
  writer->commit();
}

}  // namespace

void bind_files(nb::module_& module) {
  module.def(
      "feature_names_at",
      [](const std::string& path, bool columns) {
        const nb::gil_scoped_release release;
        TableNames names = read_table_names(path);
        return columns ? names.rows : names.columns;
      },
      "path"_a, "columns"_a, "The names of the features of a text file's samples.");
  module.def("read", &read, "path"_a,
             "Returns bytes, element type, shape, whether in Fortran order, whether byte-swapped.");
  module.def("write", &write, "path"_a, "x"_a);
  module.def("check_writable", &check_writable, "path"_a);
}

}  // namespace orthodict::python
