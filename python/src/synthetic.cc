// SPDX-License-Identifier: Apache-2.0
#include "orthodict/synthetic.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <utility>

#include "background_work.h"
#include "bindings.h"

namespace orthodict::python {
namespace {

namespace nb = nanobind;
using namespace nanobind::literals;

// Returns samples and true atoms, both in rows.
std::pair<RowMatrix<double>, RowMatrix<double>> make(Index dimension, Index samples, double theta, double condition,
                                                     double noise, double outliers, double corruption,
                                                     std::uint64_t seed,
                                                     const std::optional<RowMatrix<double>>& dictionary,
                                                     std::optional<Index> atoms_asked, std::optional<Index> nonzeros,
                                                     double frequencies, bool signs, bool is_complex) {
  const SyntheticOptions options{.dimension = dimension,
                                 .samples = samples,
                                 .theta = theta,
                                 .condition = condition,
                                 .noise = noise,
                                 .outliers = outliers,
                                 .corruption = corruption,
                                 .seed = seed,
                                 .dictionary = dictionary,
                                 .atoms = atoms_asked,
                                 .nonzeros = nonzeros,
                                 .frequencies = frequencies,
                                 .signs = signs,
                                 .is_complex = is_complex};
  RowMatrix<double> rows;
  RowMatrix<double> atoms;
  BackgroundWork background;
  background.run([&] {
    constexpr Index kBlock = 4096;
    const Synthetic data(options);
    atoms = data.dictionary();
    rows.resize(samples, data.columns());
    for (Index first = 0; first < samples && !background.stop_token().stop_requested(); first += kBlock) {
      const Index count = std::min(kBlock, samples - first);
      rows.middleRows(first, count) = data.samples(first, count);
    }
  });
  return {std::move(rows), std::move(atoms)};
}

}  // namespace

void bind_synthetic(nb::module_& module) {
  module.def("synthetic", &make, "dimension"_a, "samples"_a, "theta"_a, "condition"_a, "noise"_a, "outliers"_a,
             "corruption"_a, "seed"_a, "dictionary"_a.none(), "atoms"_a.none(), "nonzeros"_a.none(), "frequencies"_a,
             "signs"_a, "is_complex"_a);
}

}  // namespace orthodict::python
