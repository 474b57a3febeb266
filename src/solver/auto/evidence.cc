// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/evidence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "linalg/blas.h"
#include "linalg/complex.h"
#include "random/stream.h"
#include "solver/auto/constants.h"
#include "solver/auto/dependence.h"

namespace orthodict::solver {
namespace {

constexpr double kMostPasses = 1e9;  // more than any run takes

Journal::Entry entry_of(const Mixture& mixture) {
  return Journal::Entry{{mixture.theta, mixture.noise, mixture.signal}};
}

// Two numbers of atoms for each pair, and the angle of complex ones.
Journal::Entry entry_of(const Pairs& pairs, bool is_complex) {
  Journal::Entry entry(static_cast<Index>((is_complex ? 3 : 2) * pairs.size()));
  for (Index k = 0; const auto& [i, j, angle] : pairs) {
    entry[k++] = static_cast<double>(i);
    entry[k++] = static_cast<double>(j);
    if (is_complex) entry[k++] = angle;
  }
  return entry;
}

Journal::Entry entry_of(const Verdict& verdict) {
  Journal::Entry entry(verdict.on_part.size() + verdict.on_all.size() + 3);
  entry << verdict.on_part, verdict.on_all, verdict.error.mean, verdict.error.variance, verdict.structure;
  return entry;
}

Journal::Entry entry_of(const StepOutcome& outcome) {
  Journal::Entry entry(outcome.row_steps.size() + outcome.mean_curvature.size() + 3);
  entry << outcome.row_steps, outcome.mean_curvature, outcome.energy_step, outcome.objective, outcome.passes;
  return entry;
}

// The mean, over columns, of the share of energy in the largest entries.
double mean_energy_kept(Matrix<double> codes, Index largest) {
  double sum = 0;
  for (Index j = 0; j < codes.cols(); ++j) {
    auto squares = codes.col(j);
    squares = squares.cwiseAbs2().eval();
    const double all = squares.sum();
    double* data = squares.data();
    std::nth_element(data, data + largest - 1, data + codes.rows(), std::greater<>());
    sum += all > 0 ? squares.head(largest).sum() / all : 1;
  }
  return sum / static_cast<double>(codes.cols());
}

// Drops codes that are entirely zero, which come from zero samples. If all are zero, keeps all.
Matrix<double> without_zeros(Matrix<double> codes) {
  std::vector<Index> others;
  for (Index j = 0; j < codes.cols(); ++j) {
    if (!codes.col(j).isZero(0)) others.push_back(j);
  }
  const auto count = static_cast<Index>(others.size());
  if (count == 0 || count == codes.cols()) return codes;
  return codes(Eigen::all, others);
}

}  // namespace

Evidence::Evidence(Run& run, Journal& journal, const Coordinates& coordinates)
    : run_(run),
      journal_(journal),
      coordinates_(coordinates),
      cut_is_arbitrary_(coordinates.cut() && !run.is_cut_by_variance(coordinates)),
      distinct_(find_distinct(run, coordinates)),
      dependence_(dependence_of_samples()),
      split_(samples(), coordinates.dimension() / coordinates.reals(), dependence_, run.options().seed) {}

Evidence::Evidence(const Evidence& looked, Run& beside, Journal& journal)
    : run_(beside),
      journal_(journal),
      coordinates_(looked.coordinates_),
      cut_is_arbitrary_(looked.cut_is_arbitrary_),
      distinct_(looked.distinct_),
      dependence_(looked.dependence_),
      split_(looked.split_) {}

double Evidence::dependence_of_samples() {
  Dependence found = dependence_in(kShortWindow, kShortWindows);
  if (found.of_pairs > 1 || found.of_strongest >= kDependent) {
    const Index room = kMostEntriesOfWindows / coordinates_.dimension();
    const Index window = std::min(kLongestWindow, std::max<Index>(room, 1));
    found = dependence_in(window, std::clamp<Index>(room / window, 1, kMostWindows));
    if (found.of_pairs >= kDependent) return found.of_pairs;
    if (found.of_strongest >= kDependent) return 1;
  }
  recording_.reset();
  return 1;
}

Evidence::Dependence Evidence::dependence_in(Index window, Index windows) {
  const Index d = coordinates_.dimension();
  window_ = std::min(samples(), window);
  recording_.emplace(batches(spread_evenly(samples(), window_, windows)));
  const Matrix<double> identity = Matrix<double>::Identity(d, d);
  const Matrix<double> x = recording_->codes(identity, Vector<double>::Zero(d), recording_->size(), 1);
  // Drift usually appears in the direction of largest variance.
  const Matrix<double> strongest = coordinates_.strongest_direction().transpose() * x;
  return {.of_pairs = dependence_of(x, window_), .of_strongest = dependence_of_rows(strongest, window_)[0]};
}

double Evidence::dependence_of_codes(const Place& at) const {
  return recording_ ? dependence_of(recording_->codes(at.b, at.shift, recording_->size(), 1), window_) : 1;
}

View Evidence::batches(const std::vector<Segment>& segments) const {
  const Sequence sequence(segments);
  return view_of([&](Index i) { return sequence[i]; }, sequence.size(), Precision::kF32);
}

std::optional<Journal::Entry> Evidence::recall() {
  auto entry = journal_.recall();
  // New evidence depends on the matrices, which must be loaded.
  if (!entry) journal_.checkpoint().require_loaded();
  return entry;
}

Journal::Entry Evidence::recalled(Journal::Entry entry, Index size) const {
  if (entry.size() != size) journal_.refuse("damaged checkpoint: an entry has the wrong size");
  return entry;
}

View Evidence::view_of(const Order& order, Index count, Precision precision, const std::stop_token& stop) const {
  if (!distinct_) return View::of_part(run_, coordinates_, order, count, precision, stop);
  const auto place = [&](Index i) { return distinct_->samples[static_cast<std::size_t>(order(i))]; };
  return View::of_part(run_, coordinates_, place, count, precision, stop);
}

std::optional<View> Evidence::part(const Order& order, Index count, Precision precision,
                                   const std::stop_token& stop) const {
  View part = view_of(order, count, precision, stop);
  if (run_.workers().collective().any([&] { return stop.stop_requested(); })) return std::nullopt;
  return part;
}

std::optional<View> Evidence::part_to_explore(Index count, Precision precision, const std::stop_token& stop) {
  return part(split_.order(), count, precision, stop);
}

std::optional<View> Evidence::part_of_fold(const Fold& fold, Precision precision, const std::stop_token& stop) {
  return part(split_.order_of(fold), split_.size_of(fold), precision, stop);
}

Mixture Evidence::mixture(const View& part, const Place& at, const std::vector<Index>& atoms, const Mixture& start) {
  if (const auto entry = recall()) {
    const Journal::Entry values = recalled(*entry, 3);
    const Mixture mixture{.theta = values[0], .noise = values[1], .signal = values[2]};
    if (!mixture.is_legal()) journal_.refuse("damaged checkpoint: mixture out of range");
    return mixture;
  }
  const Index count = std::clamp<Index>(kCoefficientsOfMixture / coordinates_.dimension(), 1, part.size());
  const Matrix<double> codes = without_zeros(part.codes(at.b, at.shift, count, 2));
  const Mixture found =
      fit_mixture(atoms.empty() ? codes : Matrix<double>(codes(atoms, Eigen::all)), start, is_complex());
  note(entry_of(found));
  return found;
}

Pairs Evidence::tangled_pairs(const View& part, const Place& at) {
  if (const auto entry = recall()) {
    const auto last = static_cast<double>(coordinates_.dimension() / coordinates_.reals() - 1);
    const Index numbers = is_complex() ? 3 : 2;
    const auto is_atom = [last](double number) { return number >= 0 && number <= last; };
    Pairs pairs;
    for (Index k = 0; k + numbers <= entry->size(); k += numbers) {
      if (!is_atom((*entry)[k]) || !is_atom((*entry)[k + 1])) break;
      pairs.push_back(
          {static_cast<Index>((*entry)[k]), static_cast<Index>((*entry)[k + 1]), is_complex() ? (*entry)[k + 2] : 0});
    }
    if (static_cast<Index>(pairs.size()) * numbers != entry->size()) {
      journal_.refuse("damaged checkpoint: atom index out of range");
    }
    return pairs;
  }
  Pairs pairs = solver::tangled_pairs(codes(part, at), is_complex());
  note(entry_of(pairs, is_complex()));
  return pairs;
}

Vector<double> Evidence::signs(const View& part, const Place& at) const {
  const Index count = std::min(part.size(), std::max(kFewestJudged, kMostEntriesOfSigns / coordinates_.dimension()));
  return signs_of(part.codes(at.b, at.shift, count, 2), is_complex());
}

HeldOut Evidence::held_out(const Fold& fold, Index batches, const Place& at) const {
  const Index room = std::max(kFewestJudged, kMostEntriesJudged / coordinates_.dimension());
  const std::vector<Segment> heard = batches_of(fold.held_out, dependence_of_codes(at), batches, samples(), room);
  std::vector<Index> ends;
  ends.reserve(heard.size());
  Index end = 0;
  for (const Segment& batch : heard) ends.push_back(end += batch.count);
  const double batch = static_cast<double>(end) / static_cast<double>(std::max<std::size_t>(heard.size(), 1));
  return {this->batches(heard), std::move(ends), slowness(at, batch), split_.hold_out() != nullptr};
}

Vector<double> Evidence::slowness(const Place& at, double batch) const {
  if (!recording_) return Vector<double>::Ones(coordinates_.dimension() / coordinates_.reals());
  const Matrix<double> codes = recording_->codes(at.b, at.shift, recording_->size(), 1);
  const Vector<double> dependence = dependence_of_rows(codes, window_);
  // A window in which an atom's coefficients took too few independent values says nothing about their distribution.
  const auto is_unknown = kFewestPlaces * dependence.array() > static_cast<double>(window_);
  const Vector<double> factors = is_unknown.select(kUnknownVariance, (dependence.array() / batch).max(1));
  if (!is_complex()) return factors;
  return Eigen::Map<const Matrix<double>>(factors.data(), 2, factors.size() / 2).colwise().maxCoeff().transpose();
}

std::vector<PairStatistics> Evidence::pair_statistics(const std::vector<HeldOut>& held_out,
                                                      const std::vector<Place>& at, const Vector<double>& signs) const {
  constexpr Index kMatrices = 4;  // matrices of the codes' size, computed from them
  std::vector<Matrix<double>> codes;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const View& samples = held_out[i].samples;
    codes.push_back(samples.codes(at[i].b, at[i].shift, samples.size(), kMatrices));
  }
  constexpr double kFlopsPerEntry = 100;  // without the products
  const auto d = static_cast<double>(coordinates_.dimension());
  const double flops =
      (kFlopsPerEntry + 8 * d) * static_cast<double>(codes.front().size()) * static_cast<double>(codes.size());
  std::vector<PairStatistics> result(codes.size());
  engine::Workers& workers = run_.workers();
  workers.collective().together([&] {
    workers.for_each(engine::team_for(flops, workers), static_cast<Index>(codes.size()), [&](Index task) {
      const auto i = static_cast<std::size_t>(task);
      result[i] = measure_pairs(std::move(codes[i]), held_out[i].ends, signs, held_out[i].slowness,
                                held_out[i].is_fresh, is_complex());
    });
  });
  return result;
}

Verdict Evidence::verdict(const PairStatistics& statistics, Index learned_from, const Place& at) const {
  const Matrix<double> covariance = coordinates_.unit_covariance();
  const Vector<double> spread =
      linalg::multiply(at.b, covariance).cwiseProduct(at.b).rowwise().sum().cwiseMax(0).cwiseSqrt();
  const Matrix<double> leverage = leverage_of_pairs(coordinates_.atoms_of(at.inverse), spread, is_complex());
  // Copies add no information, and uneven numbers of copies reduce the effective sample size.
  const double all = distinct_ ? distinct_->effective : static_cast<double>(samples());
  const Vector<double> certainty =
      coordinates_.certainty_of_components(at.inverse, all / dependence_of_codes(at), cut_is_arbitrary_);
  const auto some = static_cast<double>(learned_from);
  const auto of_rows = [&](const Vector<double>& of_atoms) -> Vector<double> {
    return certainty.cwiseProduct(is_complex() ? linalg::twice_each(of_atoms) : of_atoms);
  };
  return {.on_part = of_rows(confidence(statistics, leverage, some, some)),
          .on_all = of_rows(confidence(statistics, leverage, some, all)),
          .error = error_shown(statistics, leverage),
          .structure = statistics.structure};
}

Verdict Evidence::no_verdict() const {
  const Index d = coordinates_.dimension() / coordinates_.reals();
  const Vector<double> of_atoms = confidence({}, Matrix<double>::Zero(d, d), 1, 1);
  const Vector<double> nothing = is_complex() ? linalg::twice_each(of_atoms) : of_atoms;
  return {.on_part = nothing, .on_all = nothing, .error = {}};
}

Verdict Evidence::noted(const std::function<Verdict()>& find_out) {
  const Index d = coordinates_.dimension();
  if (const auto entry = recall()) {
    const Journal::Entry values = recalled(*entry, 2 * d + 3);
    if (!(values.head(2 * d).array() >= 0 && values.head(2 * d).array() <= 1).all()) {
      journal_.refuse("damaged checkpoint: confidence out of range");
    }
    return {.on_part = values.head(d),
            .on_all = values.segment(d, d),
            .error = {.mean = values[2 * d], .variance = values[2 * d + 1]},
            .structure = values[2 * d + 2]};
  }
  Verdict found = find_out();
  note(entry_of(found));
  return found;
}

bool Evidence::noted(const std::function<bool()>& find_out) {
  if (const auto entry = recall()) return recalled(*entry, 1)[0] != 0;
  const bool found = find_out();
  note(Journal::Entry{{found ? 1.0 : 0.0}});
  return found;
}

double Evidence::energy_kept(const View& part, const Place& at) {
  if (const auto entry = recall()) return recalled(*entry, 1)[0];
  const Index largest = std::max<Index>(coordinates_.dimension() / coordinates_.reals() / 8, 1);
  const auto sizes = [this](Matrix<double> codes) { return is_complex() ? linalg::moduli(codes) : codes; };
  const Index room = std::max(kFewestJudged, kMostEntriesJudged / coordinates_.dimension());
  double kept = 0;
  if (const Fold* fold = split_.hold_out()) {
    const View held_out = batches(batches_of(fold->held_out, 1, kBatches, samples(), room));
    kept = mean_energy_kept(sizes(held_out.codes(at.b, at.shift, held_out.size(), 1)), largest);
  } else {
    kept = mean_energy_kept(sizes(part.codes(at.b, at.shift, std::min(part.size(), room), 1)), largest);
  }
  note(Journal::Entry{{kept}});
  return kept;
}

std::vector<bool> Evidence::nested_supports(const View& part, Precision precision, const Place& at) const {
  const auto sizes = [&](const View& view) { return is_complex() ? linalg::moduli(codes(view, at)) : codes(view, at); };
  NestedSupports nested = solver::nested_supports(sizes(part), kLastThreshold);
  const Index most = split_.parts().back();
  if (nested.undecided && part.size() < most) {
    const Index count = std::min(most, std::max(part.size(), storable_samples()));
    const View more = view_of(split_.order(), count, precision);
    nested = solver::nested_supports(sizes(more), kLastThreshold);
  }
  return nested.rows;
}

Matrix<double> Evidence::codes(const View& part, const Place& at) const {
  constexpr Index kSizesAndSquares = 2;
  return part.codes(at.b, at.shift, std::min(part.size(), storable_samples()), kSizesAndSquares);
}

Index Evidence::storable_samples() const { return std::max<Index>(kCoefficientsToHold / coordinates_.dimension(), 1); }

bool Evidence::recall_part() {
  const auto entry = journal_.recall();
  if (entry) (void)recalled(*entry, 0);
  return entry.has_value();
}

std::optional<StepOutcome> Evidence::recall_step() {
  const auto entry = journal_.recall();
  if (!entry) return std::nullopt;
  const Index d = coordinates_.dimension();
  const Journal::Entry values = recalled(*entry, 2 * d + 3);
  const double passes = values[2 * d + 2];
  if (!(passes >= 0 && passes <= kMostPasses)) journal_.refuse("damaged checkpoint: number of passes out of range");
  return StepOutcome{.row_steps = values.head(d),
                     .energy_step = values[2 * d],
                     .mean_curvature = values.segment(d, d),
                     .objective = values[2 * d + 1],
                     .passes = static_cast<int>(passes)};
}

void Evidence::note(const StepOutcome& outcome) { note(entry_of(outcome)); }

}  // namespace orthodict::solver
