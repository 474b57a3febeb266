// SPDX-License-Identifier: Apache-2.0
#include "solver/start.h"

#include <fmt/format.h>

#include "orthodict/error.h"
#include "random/stream.h"
#include "solver/options.h"

namespace orthodict::solver {
namespace {

const RowMatrix<double>& given_dictionary(const Options& options, const Coordinates& coordinates) {
  const RowMatrix<double>& given = options.initial_dictionary;
  const Index atoms = coordinates.given_atoms();
  if (given.rows() != atoms || given.cols() != coordinates.features()) {
    throw option_error("initial_dictionary", fmt::format("{}×{}", given.rows(), given.cols()),
                       fmt::format("atoms × dimension, {}×{}{}", atoms, coordinates.features(),
                                   coordinates.is_complex() ? ", two numbers for each complex one" : ""));
  }
  if (!given.allFinite()) throw option_error("initial_dictionary", "NaN or infinite entries", "finite");
  return given;
}

// In the coordinates of A, before projection.
Matrix<double> in_coordinates(Matrix<double> start) {
  if (start.isZero(0) || !start.allFinite()) {
    throw option_error("initial_dictionary", start.allFinite() ? "zero" : "too large",
                       "finite, nonzero in the range of the samples");
  }
  return start;
}

}  // namespace

Matrix<double> start_of(const Options& options, const Coordinates& coordinates, int attempt) {
  const bool first = attempt == 0;
  if (first && init_of(options) == Initialization::kGiven) {
    return in_coordinates(coordinates.from_dictionary(given_dictionary(options, coordinates)));
  }
  const Index k = coordinates.atoms();
  // In coordinates of the data's range there are fewer than k dimensions, so the start is made in those of the data.
  const bool restricted = coordinates.is_restricted();
  const Index d = restricted ? coordinates.features() : coordinates.dimension();
  if (first && init_of(options) == Initialization::kIdentity) {
    const Matrix<double> identity = Matrix<double>::Identity(k, d);
    return restricted ? in_coordinates(coordinates.from_rows(identity)) : identity;
  }
  const random::Stream stream(options.seed + static_cast<std::uint64_t>(attempt) * 0x9e3779b97f4a7c15U,
                              random::Purpose::kInitialization);
  const Matrix<double> start = random::orthogonal(d, stream).topRows(k);
  return restricted ? in_coordinates(coordinates.from_rows(start)) : start;
}

}  // namespace orthodict::solver
