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
#include "solver/hash.h"

namespace orthodict::solver {
namespace {

constexpr double kManyCopies = 0.1;  // least mean number of copies per sample that matters
constexpr double kFewestFound = 6;   // least number of samples with a copy in the probe: three pairs are not by chance
constexpr Index kMostHashed = Index{1} << 24;

// Sample i·p/count for each i < count.
struct Spread {
  Index samples;
  Index count;
  [[nodiscard]] Index operator()(Index i) const {
    return static_cast<Index>(static_cast<double>(i) * static_cast<double>(samples) / static_cast<double>(count));
  }
};

std::vector<std::uint64_t> hashes_of(Run& run, const Spread& place) {
  constexpr Index kBlock = 1024;
  const Samples& from = run.learned_from();
  const Index n = from.dimension();
  engine::Collective& collective = run.workers().collective();
  const engine::LaneShares shares(from, collective.count());
  const auto owner = [&](Index i) { return shares.owner_of_sample(place(i)); };
  std::vector<std::uint64_t> hashes;
  const auto hash_block = [&](Index block) {
    Vector<double> values(n), scratch(n);
    for (Index i = block * kBlock; i < std::min((block + 1) * kBlock, place.count); ++i) {
      if (owner(i) != collective.rank()) continue;
      values = Eigen::Map<const Vector<double>>(from.block(place(i), 1, scratch.data()).data, n).array() + 0.0;
      hashes[static_cast<std::size_t>(i)] = hash_of(values_of(values));
    }
  };
  collective.together([&] {
    const auto count = static_cast<std::size_t>(place.count);
    memory::require_memory_left(from.name(), count * (2 * sizeof(std::uint64_t) + sizeof(Index)));
    hashes.resize(count);
    const double work = static_cast<double>(n * place.count);
    run.workers().for_each(engine::team_for(work, run.workers()), (place.count + kBlock - 1) / kBlock, hash_block);
  });
  collective.share(std::span(hashes), owner);
  return hashes;
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

std::optional<Distinct> distinct_samples(Run& run, double share, Index probed) {
  const Samples& all = run.learned_from();
  const double found = share * static_cast<double>(probed);
  // Copies of a sample are in the probe with the same probability as any other sample.
  const double copies = share * static_cast<double>(all.size()) / static_cast<double>(probed);
  if (found < kFewestFound || copies < kManyCopies) return std::nullopt;
  const Spread place{.samples = all.size(), .count = std::min(all.size(), kMostHashed)};
  const std::vector<std::uint64_t> hashes = hashes_of(run, place);
  std::vector<std::uint64_t> sorted = hashes;
  const std::uint64_t zero = hash_of(values_of(Vector<double>(Vector<double>::Zero(all.dimension()))));
  const auto zeros = static_cast<double>(std::erase(sorted, zero));
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t> kept = take_frequent(&sorted);
  Distinct result{.effective = effective_number(sorted) + static_cast<double>(kept.size()) + zeros};
  kept.push_back(zero);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<bool> seen(sorted.size());
  for (Index i = 0; i < place.count; ++i) {
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
