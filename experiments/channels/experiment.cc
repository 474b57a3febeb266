// SPDX-License-Identifier: Apache-2.0
// Channels of a uniform linear array: what l4 and auto learn from them, against the DFT.
#include "experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "orthodict/complex.h"
#include "problem.h"
#include "random/stream.h"

namespace orthodict::experiments {
namespace {

using Complex = std::complex<double>;
using Channels = Matrix<Complex>;  // in columns
using random::Stream;

// The response of n antennas at half a wavelength to a wave of spatial frequency f = sin(angle)/2, at unit norm.
Vector<Complex> steering(Index n, double frequency) {
  return Vector<Complex>::NullaryExpr(n, [=](Index k) {
    return std::polar(1 / std::sqrt(static_cast<double>(n)), 2 * std::numbers::pi * frequency * static_cast<double>(k));
  });
}

// The DFT with its frequencies shifted by `shift`: atoms in rows.
RowMatrix<Complex> shifted_dft(Index n, double shift) {
  RowMatrix<Complex> atoms(n, n);
  for (Index j = 0; j < n; ++j) {
    atoms.row(j) = steering(n, static_cast<double>(j) / static_cast<double>(n) + shift).transpose();
  }
  return atoms;
}

// One wave with a circular normal gain for each user, at a frequency that is drawn for it.
Channels line_of_sight(Index n, Index users, std::uint64_t seed, const std::function<double(double)>& frequency_of) {
  const Stream stream(seed, random::Purpose::kCoefficients);
  Channels y(n, users);
  for (Index i = 0; i < users; ++i) {
    const Complex gain(stream.normal(i, 0), stream.normal(i, 1));
    y.col(i) = gain * steering(n, frequency_of(stream.uniform(i, 4)));
  }
  return y;
}

// Clusters of rays around directions within ±60°, with an exponential power profile and a Laplacian spread in angle.
struct Multipath {
  const char* name;
  int clusters;
  double spread;  // of a cluster, in degrees
};
constexpr Multipath kMultipaths[] = {{"1 cluster, 2°", 1, 2},
                                     {"3 clusters, 2°", 3, 2},
                                     {"3 clusters, 5°", 3, 5},
                                     {"6 clusters, 5°", 6, 5},
                                     {"12 clusters, 10°", 12, 10}};

Channels multipath(Index n, Index users, const Multipath& model, std::uint64_t seed) {
  constexpr int kRays = 20;
  constexpr double kDegree = std::numbers::pi / 180;
  const Stream stream(seed, random::Purpose::kCoefficients);
  Channels y = Channels::Zero(n, users);
  for (Index i = 0; i < users; ++i) {
    Index next = 0;
    const auto uniform = [&] { return stream.uniform(i, 1000 + next++); };
    for (int cluster = 0; cluster < model.clusters; ++cluster) {
      const double centre = 120 * (uniform() - 0.5);
      const double amplitude = std::exp(-0.5 * cluster);
      for (int ray = 0; ray < kRays; ++ray) {
        const double u = uniform() - 0.5;
        const double offset = (u < 0 ? 1 : -1) * model.spread / std::numbers::sqrt2 * std::log1p(-2 * std::abs(u));
        const Complex gain = std::polar(amplitude / std::sqrt(kRays), 2 * std::numbers::pi * uniform());
        y.col(i) += gain * steering(n, std::sin((centre + offset) * kDegree) / 2);
      }
    }
  }
  return y;
}

RowMatrix<Complex> atoms_of(const Channels& y, const std::string& method, const Context& context, std::uint64_t seed,
                            Dictionary dictionary = Dictionary::kOrthogonal) {
  Options options = options_for(context, seed);
  options.dictionary = dictionary;
  options.precision = Precision::kF64;
  if (method == "msp") {
    options.max_iterations = 1000;
    options.tolerance = 1e-10;
  }
  const Model model = baselines::fit(*samples_in_columns(y), method, options).model;
  return as_complex(model.dictionary);
}

// The common shift of the atoms' frequencies, in units of 1/n, from the phases between neighbouring antennas.
double common_shift(const RowMatrix<Complex>& atoms) {
  const Index n = atoms.cols();
  Complex sum = 0;
  for (Index i = 0; i < atoms.rows(); ++i) {
    const Complex turn = (atoms.row(i).tail(n - 1).array() * atoms.row(i).head(n - 1).conjugate().array()).sum();
    sum += std::polar(1.0, static_cast<double>(n) * std::arg(turn));
  }
  return std::arg(sum) / (2 * std::numbers::pi);
}

// The distances of atoms from the nearest ones of the DFT at that shift, each used once, up to a phase.
Vector<double> deviations(const RowMatrix<Complex>& atoms, double shift) {
  const Index n = atoms.cols();
  const RowMatrix<Complex> dft = shifted_dft(n, shift / static_cast<double>(n));
  const Matrix<Complex> products = dft.conjugate() * atoms.transpose();
  const std::vector<Index> matches = best_assignment(Matrix<double>(products.cwiseAbs()));
  Vector<double> distances(n);
  for (Index i = 0; i < n; ++i) {
    const Index j = matches[static_cast<std::size_t>(i)];
    const Complex phase = products(i, j) / std::abs(products(i, j));
    distances[i] = (atoms.row(j) - phase * dft.row(i)).norm();
  }
  return distances;
}

Row compare_with_dft(const RowMatrix<Complex>& atoms) {
  const double shift = common_shift(atoms);
  const Vector<double> distances = deviations(atoms, shift);
  return {{"shift", shift},
          {"largest", distances.maxCoeff()},
          {"rms", distances.norm() / std::sqrt(static_cast<double>(distances.size()))}};
}

// ‖AY‖₄⁴/‖Y‖_F², over the channels at unit norm, and the mean share of energy in the k largest coefficients.
Row sparsity(const RowMatrix<Complex>& atoms, Channels y) {
  y.colwise().normalize();
  Matrix<double> energy = (atoms.conjugate() * y).cwiseAbs2();
  Row row = {{"fourth_power", energy.squaredNorm() / static_cast<double>(y.cols())}};
  for (auto column : energy.colwise()) std::sort(column.begin(), column.end(), std::greater<>());
  for (const Index k : {1, 2, 4, 8}) {
    row[fmt::format("energy_{}", k)] = energy.topRows(std::min(k, energy.rows())).colwise().sum().mean();
  }
  return row;
}

std::vector<Cell> cells(const Scale& scale) {
  std::vector<Cell> cells;
  const auto sizes = scale.pick<std::vector<Index>>({8}, {16, 32, 64}, {16, 32, 64, 128});
  const int trials = scale.pick(1, 2, 10);
  const auto cost = [](Index n, Index p) { return pass_cost(n, p, 800); };
  for (const Index n : sizes) {
    const auto on_grid = [n](double u) { return std::floor(u * static_cast<double>(n)) / static_cast<double>(n); };
    for (int trial = 0; trial < trials; ++trial) {
      const std::uint64_t seed = scale.seed + static_cast<std::uint64_t>(trial);
      cells.push_back({"grid", {{"n", n}, {"trial", trial}}, cost(n, 20 * n), [=](const Context& context) {
                         const Channels y = line_of_sight(n, 20 * n, seed, on_grid);
                         std::vector<Row> rows;
                         for (const char* method : {"auto", "msp"}) {
                           Row row = {{"method", method}};
                           row["largest"] =
                               deviations(atoms_of(y, method, context, seed, Dictionary::kAuto), 0).maxCoeff();
                           rows.push_back(std::move(row));
                         }
                         return rows;
                       }});
      cells.push_back({"equispaced", {{"n", n}, {"trial", trial}}, cost(n, 8 * n), [=](const Context& context) {
                         Channels y(n, 8 * n);
                         for (Index j = 0; j < y.cols(); ++j) {
                           y.col(j) = steering(n, static_cast<double>(j) / static_cast<double>(8 * n));
                         }
                         return std::vector<Row>{compare_with_dft(atoms_of(y, "msp", context, seed))};
                       }});
      for (const Index per_antenna : scale.pick<std::vector<Index>>({20}, {10, 40}, {20, 80, 320, 1280, 5120})) {
        cells.push_back({"random",
                         {{"n", n}, {"p", per_antenna * n}, {"trial", trial}},
                         cost(n, per_antenna * n),
                         [=](const Context& context) {
                           const Channels y = line_of_sight(n, per_antenna * n, seed, [](double u) { return u; });
                           return std::vector<Row>{compare_with_dft(atoms_of(y, "msp", context, seed))};
                         }});
      }
    }
  }
  const Index n = scale.pick<Index>(8, 32, 64), users = scale.pick<Index>(400, 3000, 100000);
  for (const Multipath& model : kMultipaths) {
    cells.push_back({"multipath",
                     {{"n", n}, {"users", users}, {"model", model.name}},
                     cost(n, users),
                     [=, seed = scale.seed](const Context& context) {
                       const Channels learned = multipath(n, users, model, seed);
                       const Channels fresh = multipath(n, users, model, seed + 1000);
                       std::vector<Row> rows;
                       for (const char* basis : {"DFT", "msp", "auto"}) {
                         const bool is_dft = std::string(basis) == "DFT";
                         Row row = {{"basis", basis}};
                         row.update(
                             sparsity(is_dft ? shifted_dft(n, 0) : atoms_of(learned, basis, context, seed), fresh));
                         rows.push_back(std::move(row));
                       }
                       return rows;
                     }});
  }
  return cells;
}

}  // namespace

Experiment channels() {
  return {
      .name = "channels", .title = "channels of a linear array", .source = "Taner and Studer (2026)", .cells = cells};
}

}  // namespace orthodict::experiments
