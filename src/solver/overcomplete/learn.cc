// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/learn.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "random/stream.h"
#include "solver/overcomplete/codes.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/explore.h"
#include "solver/overcomplete/repair.h"

namespace orthodict::solver::overcomplete {
namespace {

class Learning {
 public:
  Learning(const Matrix<double>& y, const Vector<double>& scale, std::optional<Index> most, const Means& means)
      : y_(y), scale_(scale), most_(most), means_(means) {
    if (most_) most_ = std::min(*most_, std::max<Index>(y.cols(), 1));  // a sample shows no more than itself
    start_ = most_.value_or(2 * y.rows());
    take_part(std::max(kLeastSamples, kSamplesPerAtom * start_));
  }

  Finished run() {
    const Explored explored = explore_until_settled();
    const Matrix<double> atoms = scale_.cwiseInverse().asDiagonal() * explored.atoms.cast<double>();
    if (means_.has_better(explored.nonzeros)) return {};
    Finished best = finish(part(), scale_, atoms, kToTheLastDigit, means_);
    best = without_mixtures(complete(std::move(best)));
    if (!best.is_sparse()) return in_order(in_noise(best));
    best = in_order(best);
    return best.is_sparse() ? best : in_order(in_noise(best));  // fewer atoms may not code the samples
  }

 private:
  [[nodiscard]] bool is_whole() const { return part_.size() == 0; }
  [[nodiscard]] const Matrix<double>& part() const { return is_whole() ? y_ : part_; }

  // The first `size` samples of a random order, in their own order; all of them where there are no more.
  void take_part(Index size) {
    part_.resize(0, 0);
    if (size >= y_.cols()) return;
    const random::Permutation order(y_.cols(), random::Stream(means_.seed, random::Purpose::kSubsample));
    std::vector<Index> chosen(static_cast<std::size_t>(size));
    for (Index i = 0; i < size; ++i) chosen[static_cast<std::size_t>(i)] = order[i];
    std::sort(chosen.begin(), chosen.end());
    part_ = y_(Eigen::all, chosen);
  }

  // With a part that grows until it shows the structure, or no more of it than a smaller one, and until it was large
  // enough for so many atoms.
  Explored explore_until_settled() {
    double before = -1;
    for (;;) {
      Explored explored = explore_part();
      const bool has_more =
          !most_ && static_cast<double>(explored.atoms.cols()) > kManyMore * static_cast<double>(start_);
      const bool gained = explored.explained > before;
      const bool settled = (explored.explained > kSettled || !gained) && explored.uses > kEnoughUses;
      before = explored.explained;
      if (is_whole() || (settled && !has_more) || means_.ended()) return explored;
      if (settled) {
        start_ = explored.atoms.cols();
        take_part(std::max(2 * part_.cols(), kSamplesPerAtom * start_));
      } else {
        take_part(kGrowth * part_.cols());
      }
    }
  }

  Explored explore_part() {
    const Index most = most_ ? static_cast<Index>(kMostPerAsked * static_cast<double>(*most_)) : kMostPerStart * start_;
    const auto is_astray = [most](const Explored& explored) {
      return static_cast<double>(explored.atoms.cols()) > kAstray * static_cast<double>(most);
    };
    Explored explored = explore(part(), scale_, start_, most, expected_, means_);
    if (expected_ == kLiberal || !is_astray(explored) || means_.ended()) return explored;
    Explored other = explore(part(), scale_, start_, most, kLiberal, means_);
    if (is_astray(other)) return explored;
    expected_ = kLiberal;
    return other;
  }

  // Some atoms are exact, but not all of them are there: the others are found from what those leave, if need be of more
  // samples.
  Finished complete(Finished best) {
    for (int attempt = 0; attempt < kAttempts && !means_.ended(); ++attempt) {
      const Index exact = best.exact_atoms();
      const auto all = static_cast<Index>(best.exact.size());
      if (!best.is_sparse() || (exact == all && best.exact_samples > kAll) || 2 * exact < all) break;
      if (attempt > 0 && !is_whole()) take_part(kGrowth * part_.cols());
      const Matrix<double> kept = columns_of(best.atoms, best.exact);
      const Matrix<double> fresh = atoms_that_are_missing(kept, best.shift, 2 * (all - exact) + 4, attempt);
      if (fresh.cols() == 0) break;
      Matrix<double> joined(kept.rows(), exact + fresh.cols());
      joined << kept, fresh;
      Finished next = finish(part(), scale_, joined, kToTheLastDigit, means_);
      const bool better = next.exact_samples > best.exact_samples + kGain || next.exact_atoms() > exact;
      if (next.exact_samples >= best.exact_samples - kLoss) best = std::move(next);
      if (!better) break;
    }
    return best;
  }

  // Mixtures of others go, if as many samples are coded exactly without them, by as many atoms.
  Finished without_mixtures(Finished best) {
    if (!best.is_sparse() || means_.ended()) return best;
    const std::vector<bool> mixed = mixtures(unit_columns<double>(scale_.asDiagonal() * best.atoms), best.energy,
                                             longest_code(best.atoms.rows()), means_.ended);
    if (std::count(mixed.begin(), mixed.end(), true) == 0 || means_.ended()) return best;
    std::vector<bool> others = mixed;
    others.flip();
    Finished fewer = finish(part(), scale_, columns_of(best.atoms, others), kToTheLastDigit, means_);
    const bool is_as_good =
        fewer.exact_samples >= best.exact_samples - kLoss && fewer.nonzeros <= kMoreNonzeros * best.nonzeros;
    return is_as_good ? fewer : best;
  }

  Matrix<double> atoms_that_are_missing(const Matrix<double>& kept, const Vector<double>& shift, Index count,
                                        int attempt) {
    const Matrix<double> z = scale_.asDiagonal() * (part().colwise() - shift);
    const Matrix<double> whitened = unit_columns<double>(scale_.asDiagonal() * kept);
    Rule rule;
    rule.most = longest_code(z.rows());
    rule.share = kCodedShare;
    rule.chance = Chance(z.rows(), kExpected).among(kept.cols());
    const Codes codes = greedy_codes(z, whitened, rule, means_);
    if (means_.ended()) return Matrix<double>(z.rows(), 0);
    std::vector<Index> unexplained;
    for (Index i = 0; i < z.cols(); ++i) {
      if (codes.squared_residual[i] > kCodedSquare * static_cast<double>(z.rows())) unexplained.push_back(i);
    }
    Matrix<float> residuals(z.rows(), static_cast<Index>(unexplained.size()));
    for (std::size_t i = 0; i < unexplained.size(); ++i) {
      residuals.col(static_cast<Index>(i)) = residual(z, whitened, codes, unexplained[i]).cast<float>();
    }
    const auto draw = static_cast<std::uint64_t>(kRounds + attempt);
    const Matrix<float> fresh =
        atoms_of_residuals(residuals, count, rule.chance[2], whitened.cast<float>(), draw, means_);
    return scale_.cwiseInverse().asDiagonal() * fresh.cast<double>();
  }

  Finished in_noise(const Finished& best) {
    if (means_.ended()) return best;
    Finished noisy = finish(y_, scale_, best.atoms, kInNoise, means_);
    return noisy.has_round() ? noisy : best;
  }

  // By energy; without those that aren't exact where the samples are exactly sparse.
  [[nodiscard]] Finished in_order(const Finished& best) const {
    std::vector<Index> order;
    const bool all = !best.is_sparse();
    for (Index j = 0; j < best.atoms.cols(); ++j) {
      if (all || best.exact[static_cast<std::size_t>(j)]) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return best.energy[a] > best.energy[b]; });
    if (most_ && static_cast<Index>(order.size()) > *most_) order.resize(static_cast<std::size_t>(*most_));
    return only(y_, scale_, best, order, means_);
  }

  const Matrix<double>& y_;
  const Vector<double>& scale_;
  std::optional<Index> most_;
  const Means& means_;
  Index start_ = 0;            // atoms that exploration starts with
  double expected_ = kStrict;  // by chance
  Matrix<double> part_;        // empty: all samples
};

}  // namespace

Finished learn(const Matrix<double>& y, const Vector<double>& scale, std::optional<Index> most, const Means& means) {
  return Learning(y, scale, most, means).run();
}

}  // namespace orthodict::solver::overcomplete
