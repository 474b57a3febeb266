// SPDX-License-Identifier: Apache-2.0
#include "solver/copies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "engine/lane_plan.h"
#include "memory/allocation.h"
#include "random/stream.h"
#include "solver/hash.h"
#include "solver/view.h"

namespace orthodict::solver {
namespace {

constexpr Index kFewestProbed = 1024;  // random samples in which to look for copies …
constexpr double kProbedPerRoot = 8;   // … and 8√p: six have one if a tenth of all samples have
constexpr double kManyCopies = 0.1;    // least mean number of copies per sample that matters
constexpr double kFewestFound = 5.5;   // three pairs in the probe, which count a little less than 6, aren't by chance
constexpr Index kMostHashed = Index{1} << 24;

constexpr Index kCompared = 256;      // distinct samples whose differences show whether values are discrete
constexpr double kResolution = 1e-4;  // differences are equal up to this: above rounding, below chance
constexpr double kRecurring = 0.01;   // share of the differences that recur if values are discrete

std::uint64_t hash_of_zero(const Run& run) {
  return hash_of(values_of(Vector<double>(Vector<double>::Zero(run.learned_from().dimension()))));
}

// The hashes of samples place(0) … place(count − 1).
std::vector<std::uint64_t> hashes_of(Run& run, const Order& place, Index count) {
  constexpr Index kBlock = 1024;
  const Samples& from = run.learned_from();
  const Index n = from.dimension();
  engine::Collective& collective = run.workers().collective();
  const engine::LaneShares shares(from, collective.count());
  const auto owner = [&](Index i) { return shares.owner_of_sample(place(i)); };
  std::vector<std::uint64_t> hashes;
  const auto hash_block = [&](Index block) {
    Vector<double> values(n), scratch(n);
    for (Index i = block * kBlock; i < std::min((block + 1) * kBlock, count); ++i) {
      const Index at = place(i);
      if (shares.owner_of_sample(at) != collective.rank()) continue;
      values = Eigen::Map<const Vector<double>>(from.block(at, 1, scratch.data()).data, n).array() + 0.0;
      hashes[static_cast<std::size_t>(i)] = hash_of(values_of(values));
    }
  };
  collective.together([&] {
    const auto size = static_cast<std::size_t>(count);
    memory::require_memory_left(from.name(), size * (2 * sizeof(std::uint64_t) + sizeof(Index)));
    hashes.resize(size);
    const auto work = static_cast<double>(n * count);
    run.workers().for_each(engine::team_for(work, run.workers()), (count + kBlock - 1) / kBlock, hash_block);
  });
  collective.share(std::span(hashes), owner);
  return hashes;
}

// The first places of the kCompared most frequent hashes.
std::vector<Index> most_frequent(const std::vector<std::uint64_t>& hashes) {
  std::unordered_map<std::uint64_t, std::size_t> known;
  std::vector<std::pair<Index, Index>> found;  // negative frequency, first place
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto [at, is_new] = known.try_emplace(hashes[i], found.size());
    if (is_new) found.emplace_back(0, static_cast<Index>(i));
    --found[at->second].first;
  }
  std::sort(found.begin(), found.end());
  std::vector<Index> places;
  for (std::size_t i = 0; i < std::min(found.size(), static_cast<std::size_t>(kCompared)); ++i) {
    places.push_back(found[i].second);
  }
  return places;
}

// Whether random samples show that there are many copies in all, of values that aren't discrete.
bool has_many_copies(Run& run, const Coordinates& coordinates) {
  const Index all = run.learned_from().size();
  const random::Permutation order(all, random::Stream(run.options().seed, random::Purpose::kSubsample));
  const auto per_root = static_cast<Index>(kProbedPerRoot * std::sqrt(static_cast<double>(all)));
  const Index probed = std::min(all, std::max(per_root, kFewestProbed));
  std::vector<Index> probe;
  for (Index i = 0; i < probed; ++i) probe.push_back(order[i]);
  const std::vector<std::uint64_t> hashes = hashes_of(
      run, [&](Index i) { return probe[static_cast<std::size_t>(i)]; }, probed);
  std::vector<std::uint64_t> sorted = hashes;
  std::erase(sorted, hash_of_zero(run));
  std::sort(sorted.begin(), sorted.end());
  (void)take_frequent(&sorted);
  const double found = static_cast<double>(sorted.size()) - effective_number(sorted);
  // Copies of a sample are in the probe with the same probability as any other sample.
  const double copies = found / static_cast<double>(probed) * static_cast<double>(all) / static_cast<double>(probed);
  if (found < kFewestFound || copies < kManyCopies) return false;
  const std::vector<Index> places = most_frequent(hashes);
  const auto count = static_cast<Index>(places.size());
  const auto compared_place = [&](Index i) {
    return probe[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])];
  };
  const View compared = View::of_part(run, coordinates, compared_place, count, Precision::kF64);
  const Index d = coordinates.dimension();
  return !are_discrete(compared.codes(Matrix<double>::Identity(d, d), Vector<double>::Zero(d), count, 1));
}

}  // namespace

double effective_number(const std::vector<std::uint64_t>& hashes) {
  double squares = 0;
  for (auto at = hashes.begin(); at != hashes.end();) {
    const auto next = std::upper_bound(at, hashes.end(), *at);
    squares += std::pow(static_cast<double>(next - at), 2);
    at = next;
  }
  const auto size = static_cast<double>(hashes.size());
  return size > 0 ? size * size / squares : 0;
}

std::vector<std::uint64_t> take_frequent(std::vector<std::uint64_t>* hashes) {
  constexpr std::size_t kMost = 4;
  constexpr Index kFarMore = 3;
  std::vector<std::pair<Index, std::uint64_t>> frequencies;
  for (auto at = hashes->begin(); at != hashes->end();) {
    const auto next = std::upper_bound(at, hashes->end(), *at);
    frequencies.emplace_back(next - at, *at);
    at = next;
  }
  if (frequencies.size() <= kMost) return {};
  std::nth_element(frequencies.begin(), frequencies.begin() + kMost, frequencies.end(), std::greater<>());
  std::vector<std::uint64_t> frequent;
  for (std::size_t i = 0; i < kMost; ++i) {
    if (frequencies[i].first > kFarMore * frequencies[kMost].first) frequent.push_back(frequencies[i].second);
  }
  std::erase_if(
      *hashes, [&](std::uint64_t hash) { return std::find(frequent.begin(), frequent.end(), hash) != frequent.end(); });
  return frequent;
}

std::vector<Index> first_equal(const Matrix<double>& columns) {
  std::unordered_map<std::uint64_t, Index> first;
  std::vector<Index> result;
  for (Index j = 0; j < columns.cols(); ++j) {
    result.push_back(first.try_emplace(hash_of(values_of(Vector<double>(columns.col(j)))), j).first->second);
  }
  return result;
}

bool are_discrete(const Matrix<double>& columns) {
  std::vector<std::uint64_t> differences;
  for (Index j = 0; j < columns.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      const Vector<double> steps = ((columns.col(j) - columns.col(i)) / kResolution).array().round() + 0.0;  // −0 is 0
      differences.push_back(hash_of(values_of(steps)));
    }
  }
  const std::size_t all = differences.size();
  std::sort(differences.begin(), differences.end());
  const auto distinct =
      static_cast<std::size_t>(std::unique(differences.begin(), differences.end()) - differences.begin());
  return static_cast<double>(all - distinct) > kRecurring * static_cast<double>(all);
}

std::optional<Distinct> find_distinct(Run& run, const Coordinates& coordinates) {
  if (!has_many_copies(run, coordinates)) return std::nullopt;
  const Index all = run.learned_from().size();
  const Index count = std::min(all, kMostHashed);
  const auto place = [&](Index i) {  // spread evenly
    return static_cast<Index>(static_cast<double>(i) * static_cast<double>(all) / static_cast<double>(count));
  };
  const std::vector<std::uint64_t> hashes = hashes_of(run, place, count);
  std::vector<std::uint64_t> sorted = hashes;
  const std::uint64_t zero = hash_of_zero(run);
  const auto zeros = static_cast<double>(std::erase(sorted, zero));
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> kept = take_frequent(&sorted);
  Distinct result{.effective = effective_number(sorted) + static_cast<double>(kept.size()) + zeros};
  kept.push_back(zero);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<bool> seen(sorted.size());
  for (Index i = 0; i < count; ++i) {
    const std::uint64_t hash = hashes[static_cast<std::size_t>(i)];
    if (std::find(kept.begin(), kept.end(), hash) == kept.end()) {
      const auto at = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), hash) - sorted.begin());
      if (seen[at]) continue;
      seen[at] = true;
    }
    result.samples.push_back(place(i));
  }
  return result;
}

}  // namespace orthodict::solver
