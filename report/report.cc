// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "baselines/pca.h"
#include "coding/blocks.h"
#include "model/feature_names.h"
#include "model/per_atom.h"
#include "model/stable.h"
#include "orthodict/error.h"
#include "orthodict/image.h"
#include "orthodict/version.h"
#include "report/curves.h"
#include "report/metadata.h"
#include "report/pack.h"
#include "report/statistics.h"
#include "report/subset.h"

namespace orthodict::report {
namespace {

// Maximum number of values in the gallery, unless a single atom has more.
constexpr Index kMostAtomValues = Index{1} << 21;
// Maximum work for the curve, in products of a coefficient and an entry of an atom.
constexpr Index kCurveWork = Index{1} << 30;
constexpr Index kLeastCurveSamples = 500;

// {height, width} or {height, width, 3} for pictures; empty for plain vectors, which include pictures of a single line.
// Complex pictures have no colours of their own, because colours show phases.
std::vector<Index> picture_shape(const Model& model, const Samples* samples, const ReportOptions& options) {
  std::vector<Index> shape = options.sample_shape;
  if (shape.empty()) shape = sample_shape(model);
  if (shape.empty() && samples != nullptr) shape = samples->sample_shape();
  if (!is_picture(shape) || shape[0] == 1 || shape[1] == 1) return {};
  if (shape.back() == 1) shape.pop_back();
  return model.is_complex && shape.size() > 2 ? std::vector<Index>() : shape;
}

std::vector<Index> by_falling_energy(const Vector<double>& energy) {
  std::vector<Index> order(static_cast<std::size_t>(energy.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&energy](Index a, Index b) { return energy[a] > energy[b]; });
  return order;
}

// Entries in the order of the gallery; null if there are none.
Json in_order(const Vector<double>& values, const std::vector<Index>& order) {
  if (values.size() == 0) return nullptr;
  Json ordered = Json::array();
  for (const Index atom : order) ordered.push_back(values[atom]);
  return ordered;
}

Json stable_in_order(const Model& model, const std::vector<Index>& order) {
  const std::vector<bool> stable = stable_atoms(model);
  Json ordered = Json::array();
  for (const Index atom : order) ordered.push_back(static_cast<bool>(stable[static_cast<std::size_t>(atom)]));
  return ordered;
}

Json describe_atoms(const Model& model, const AtomStatistics& statistics) {
  const Vector<double> energy = statistics.energy.size() > 0 ? statistics.energy : Vector<double>::Zero(model.atoms());
  std::vector<Index> order = by_falling_energy(energy);
  const Index shown = std::clamp(kMostAtomValues / model.dimension(), Index{1}, model.atoms());
  Json atoms = {{"order", order}, {"shown", shown}};
  for (const PerAtom& of_atoms : kPerAtom) {
    atoms[std::string(of_atoms.name)] = in_order(model.*of_atoms.values, order);
  }
  atoms["stable"] = model.stability.size() > 0 ? stable_in_order(model, order) : Json(nullptr);
  atoms["stable_from"] = {{"stability", kStable}, {"found", kFound}};
  atoms["energy"] = in_order(statistics.energy, order);
  atoms["usage"] = in_order(statistics.usage, order);
  atoms["kurtosis"] = in_order(statistics.kurtosis, order);
  order.resize(static_cast<std::size_t>(shown));
  atoms.update(pack_rows(model.dictionary(order, Eigen::all)));
  return atoms;
}

// PCA with the same number of atoms, centred if the model is. Equal samples aren't centred, since nothing would be
// left.
Model fit_pca_beside(const Model& model, const Matrix<double>& samples) {
  Options options;
  options.atoms = std::min(model.atoms(), model.features());
  options.center = !model.mean.isZero(0) && (samples.colwise() - samples.col(0)).array().any();
  return baselines::fit_pca(*view_columns(samples, model.is_complex), options).model;
}

Json shares_kept(const Vector<double>& left, double energy) {
  Json shares = Json::array();
  for (const double rest : left) shares.push_back(1 - rest / energy);
  return shares;
}

// For both models, the share of the samples' energy in the j largest coefficients.
Json describe_curve(const Model& model, const Model& pca, const Subset& subset, const Progress& progress) {
  const Index affordable = std::max(kLeastCurveSamples, kCurveWork / (model.atoms() * model.dimension()));
  const Matrix<double> samples = subset.samples.leftCols(std::min(affordable, subset.samples.cols()));
  const double energy = energy_of(model, samples);
  return {{"samples", samples.cols()},
          {"model", shares_kept(energy_left(model, samples, progress), energy)},
          {"pca", shares_kept(energy_left(pca, samples, progress), energy)}};
}

// The first samples of the subset, sorted by their order in the file.
Json describe_some(const Model& model, const Model& pca, const Subset& subset, Index items, bool pictures) {
  const Index count = std::min(items, subset.samples.cols());
  if (count == 0) return nullptr;
  std::vector<Index> columns(static_cast<std::size_t>(count));
  std::iota(columns.begin(), columns.end(), 0);
  const auto row_of = [&subset](Index column) { return subset.rows[static_cast<std::size_t>(column)]; };
  std::sort(columns.begin(), columns.end(), [&](Index a, Index b) { return row_of(a) < row_of(b); });
  Json rows = Json::array();
  for (const Index column : columns) rows.push_back(row_of(column));
  Json description = {{"rows", rows}};
  description.update(describe_items(model, pca, subset.samples(Eigen::all, columns), pictures));
  return description;
}

void check_samples(const Model& model, const Samples& samples) {
  coding::check_request(samples, 0, samples.size(), model, "features");
  if (samples.size() == 0) throw data_error(samples.name(), "no samples");
}

}  // namespace

void ReportOptions::validate(const Model& model) const {
  if (items < 0 || items > kMostItems) {
    throw option_error("items", fmt::format("{}", items), fmt::format("an integer from 0 to {}", kMostItems));
  }
  if (!features.empty() && static_cast<Index>(features.size()) != model.features()) {
    throw option_error("features", fmt::format("{} names", features.size()), fmt::format("{} names", model.features()));
  }
  if (sample_shape.empty()) return;
  Index room = model.features();
  for (const Index extent : sample_shape) room = extent > 0 && room % extent == 0 ? room / extent : 0;
  if (!is_picture(sample_shape) || room != 1) {
    throw option_error("shape", fmt::format("{}", fmt::join(sample_shape, "x")),
                       fmt::format("HEIGHTxWIDTH or HEIGHTxWIDTHx3, {} values in all", model.features()));
  }
}

Json make_report(const Model& model, const Samples* samples, const ReportOptions& options) {
  options.validate(model);
  const std::vector<Index> shape = picture_shape(model, samples, options);
  const Json metadata = Json::parse(model.metadata, nullptr, /*allow_exceptions=*/false);
  const std::vector<std::string> features = options.features.empty() ? feature_names(model) : options.features;
  Json report = {{"title", options.title}, {"version", ORTHODICT_VERSION}};
  report["model"] = {{"name", options.model_name},
                     {"atoms", model.atoms()},
                     {"dimension", model.features()},
                     {"complex", model.is_complex},
                     {"shape", shape.empty() ? Json(nullptr) : Json(shape)},
                     {"features", features.empty() ? Json(nullptr) : Json(features)}};
  report["metadata"] = readable_metadata(metadata);
  report["history"] = history_of(metadata);
  AtomStatistics statistics;
  for (const char* section : {"data", "coefficients", "curve", "items"}) report[section] = nullptr;
  if (samples != nullptr) {
    check_samples(model, *samples);
    const Subset subset = draw_subset(*samples, model.atoms(), options.progress);
    report["data"] = {{"name", samples->name()}, {"samples", samples->size()}, {"used", subset.samples.cols()}};
    options.progress("codes", 0, 1);
    const Coefficients coefficients =
        coefficients_of(encode(model, *view_columns(subset.samples, model.is_complex)).transpose(), model.is_complex);
    statistics = atom_statistics(coefficients);
    report["coefficients"] = coefficient_histogram(coefficients);
    options.progress("PCA", 0, 1);
    if (energy_of(model, subset.samples) > 0) {
      const Model pca = fit_pca_beside(model, subset.samples);
      report["curve"] = describe_curve(model, pca, subset, options.progress);
      report["items"] = describe_some(model, pca, subset, options.items, !shape.empty());
    }
  }
  report["atoms"] = describe_atoms(model, statistics);
  report["scan"] = options.scan;
  return report;
}

}  // namespace orthodict::report
