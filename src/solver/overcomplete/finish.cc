// SPDX-License-Identifier: Apache-2.0
#include "solver/overcomplete/finish.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "solver/overcomplete/codes.h"
#include "solver/overcomplete/constants.h"
#include "solver/overcomplete/repair.h"

namespace orthodict::solver::overcomplete {
namespace {

class Finish {
 public:
  Finish(const Matrix<double>& y, const Vector<double>& scale, const Means& means)
      : means_(means), y_(y), scale_(scale), chance_(y.rows(), kExpected) {
    rule_.most = longest_code(y.rows());
    result_.shift = Vector<double>::Zero(y.rows());
  }

  Finished run(const Matrix<double>& atoms, const Pace& pace) {
    pace_ = pace;
    start(pace.whitens);
    shift_samples(result_.shift);
    rule_.share = pace.share;
    d_ = unit_columns(atoms);
    last_moves_ = Vector<double>::Constant(d_.cols(), 1e300);
    wandering_.assign(static_cast<std::size_t>(d_.cols()), 0);
    // What is known where there is no time for a round.
    result_.exact.assign(static_cast<std::size_t>(d_.cols()), false);
    result_.energy = result_.usage = Vector<double>::Zero(d_.cols());
    for (int round = 0; round < pace.rounds && d_.cols() > 0 && !means_.ended(); ++round) {
      take_round(round);
      if (d_.cols() == 0 || means_.ended()) break;
      means_.record({.stage = Stage::kFinish,
                     .left = result_.left,
                     .step = step(),
                     .samples = y_.cols(),
                     .atoms = d_,
                     .shift = result_.shift});
      if (result_.converged) break;
    }
    result_.atoms = std::move(d_);
    return std::move(result_);
  }

  // What there is to say of these atoms, which stay as they are; what was known of them if means.ended().
  Finished described(const Finished& known) {
    if (known.atoms.cols() == 0) return known;
    result_ = known;
    start(known.whitens);
    shift_samples(known.shift);
    d_ = std::move(result_.atoms);
    rule_.share = kLeastShare;
    rule_.shares.resize(0);
    code_samples();
    refit(y_, d_, means_, &codes_);
    if (means_.ended()) return known;
    by_atom_.emplace(codes_, d_.cols());
    (void)weights_of_samples();
    moves_ = Vector<double>::Zero(d_.cols());
    wandering_.assign(static_cast<std::size_t>(d_.cols()), 0);
    describe(*by_atom_, by_atom_->energies(), std::vector<bool>(static_cast<std::size_t>(d_.cols()), true));
    result_.atoms = std::move(d_);
    return std::move(result_);
  }

 private:
  // In which coordinates samples are coded.
  void start(bool whitens) {
    result_.whitens = whitens;
    coding_ = whitens ? scale_ : Vector<double>::Ones(y_.rows());
    z_ = coding_.asDiagonal() * y_;
  }

  void take_round(int round) {
    code_samples();
    for (int step = 0; step < kRegressions && !means_.ended(); ++step) learn();
    if (means_.ended()) return;
    const ByAtom& by_atom = *by_atom_;
    const Vector<double> energies = by_atom.energies();
    const Matrix<double> whitened = scale_.asDiagonal() * d_;
    const std::vector<bool> turned = turn_back(codes_, by_atom, means_, &d_);
    const std::vector<bool> keep = which_to_keep(whitened, energies, round);
    const bool noisy = round > 1 && quantile(relative_, 0.5) > kNoisy * rule_.share;
    const bool keeps_all = std::count(keep.begin(), keep.end(), false) == 0;
    const bool steady = keeps_all && std::count(turned.begin(), turned.end(), true) == 0;
    rule_.shares = shares_left_by_moves();
    describe(by_atom, energies, keep);
    if (last_moves_.size() == 0) return;
    const double most = std::max(last_moves_.maxCoeff(), shifted_);
    const double upper = quantile(last_moves_, 0.9);
    // At rounding; or in noise, at what its samples determine; or where moves fall no further.
    const bool rests = most < kRest || (noisy && upper < kRestInNoise);
    const bool falls_no_further = is_left_the_same();
    const bool stalls = is_stalled() || (noisy && falls_no_further);  // even if an atom is turned in every round
    result_.converged = round > 0 && ((steady && rests) || (keeps_all && stalls));
    const double lower = std::min(rule_.share / kFall, kSharePerLargestMove * most * most);
    const double higher = std::min(rule_.share, kSharePerUpperMove * upper * upper);
    rule_.share = std::max({kLeastShare, lower, higher});
    rule_.shares = rule_.shares.cwiseMax(rule_.share);
  }

  [[nodiscard]] double step() const {
    return std::sqrt(last_moves_.squaredNorm() / std::max(1.0, static_cast<double>(last_moves_.size())));
  }

  bool is_stalled() {
    if (step() < 0.5 * least_step_) {
      least_step_ = step();
      stalled_ = 0;
    } else {
      ++stalled_;
    }
    return stalled_ >= kStalled && least_step_ < kSmallMoves;
  }

  bool is_left_the_same() {
    if (result_.left < kFallOfLeft * least_left_) {
      least_left_ = result_.left;
      same_left_ = 0;
    } else {
      ++same_left_;
    }
    return same_left_ >= kStalled;
  }

  // An atom that moves by ε leaves ε² of a sample that uses it.
  [[nodiscard]] Vector<double> shares_left_by_moves() const {
    Vector<double> shares(y_.cols());
    for (Index i = 0; i < y_.cols(); ++i) {
      const Codes::Place code = codes_.of(i);
      double left = 0;
      for (std::size_t e = code.begin; e < code.end; ++e) {
        const double moved = moves_[code.atom(e)] * code.value(e);
        left += moved * moved;
      }
      shares[i] = std::min(pace_.share, kSharePerMove * left / std::max(energy_[i], 1e-300));
    }
    return shares;
  }

  void code_samples() {
    const Matrix<double> atoms = unit_columns<double>(coding_.asDiagonal() * d_);
    rule_.chance = chance_.among(d_.cols());
    codes_ = rule_.share > kSingle ? greedy_codes<float>(single_z_, atoms.cast<float>(), rule_, means_)
                                   : greedy_codes(z_, atoms, rule_, means_);
  }

  // Least squares on the supports, weights of the samples, regression.
  void learn() {
    refit(y_, d_, means_, &codes_);
    if (means_.ended()) return;
    by_atom_.emplace(codes_, d_.cols());
    const Vector<double> weights = weights_of_samples();
    Regression fitted = regress(y_, codes_, *by_atom_, weights, d_, means_);
    const Vector<double> left = means_.centred ? mean_left(weights) : Vector<double>();
    if (means_.ended()) return;
    moves_.resize(d_.cols());
    for (Index j = 0; j < d_.cols(); ++j) {
      const double sign = fitted.atoms.col(j).dot(d_.col(j)) < 0 ? -1 : 1;
      moves_[j] = (sign * fitted.atoms.col(j) - d_.col(j)).cwiseAbs().maxCoeff();
    }
    d_ = std::move(fitted.atoms);
    unused_ = std::move(fitted.unused);
    if (means_.centred) {
      result_.shift += left;
      shift_samples(left);
    }
  }

  // The mean of what codes leave, Σwr/Σw. They leave as much of a shift as there are dimensions without atoms.
  Vector<double> mean_left(const Vector<double>& weights) const {
    const Index blocks = static_cast<Index>(codes_.blocks.size());
    Matrix<double> sums = Matrix<double>::Zero(y_.rows(), blocks);
    Vector<double> free = Vector<double>::Zero(blocks);
    means_.for_each(blocks, [&](Index b) {
      const Index end = std::min((b + 1) * Codes::kBlock, y_.cols());
      for (Index i = b * Codes::kBlock; i < end; ++i) {
        if (weights[i] == 0) continue;
        sums.col(b) += weights[i] * residual(y_, d_, codes_, i);
        free[b] += weights[i] * static_cast<double>(y_.rows() - codes_.of(i).size()) / static_cast<double>(y_.rows());
      }
    });
    const double total = free.sum();
    return total > 0 ? Vector<double>(sums.rowwise().sum() / total) : Vector<double>::Zero(y_.rows());
  }

  void shift_samples(const Vector<double>& step) {
    y_.colwise() -= step;
    z_.colwise() -= coding_.cwiseProduct(step);
    single_z_ = z_.cast<float>();
    energy_ = y_.colwise().squaredNorm();
    shifted_ = step.norm();
  }

  // 1 for samples whose ‖r‖², per dimension that the code leaves, is like that of others with these atoms; 0 for codes
  // that ended for their length, with more of the sample left than the rule's share.
  Vector<double> weights_of_samples() {
    const Index p = y_.cols();
    Vector<double> squares(p), weights(p);
    std::vector<bool> is_cut(static_cast<std::size_t>(p));
    for (Index i = 0; i < p; ++i) {
      const Index k = codes_.of(i).size();
      squares[i] = codes_.squared_residual[i] / static_cast<double>(std::max<Index>(y_.rows() - k, 1));
      is_cut[i] = k >= rule_.most && codes_.squared_residual[i] > rule_.share_of(i) * energy_[i];
    }
    Vector<double> typical(d_.cols());
    means_.for_each(d_.cols(), [&](Index j) {
      std::vector<double> of_atom;
      for (Index e = by_atom_->begin[j]; e < by_atom_->begin[j + 1]; ++e) {
        const Index sample = by_atom_->samples[e];
        of_atom.push_back(is_cut[sample] ? std::numeric_limits<double>::infinity() : squares[sample]);
      }
      typical[j] = quantile(std::move(of_atom), 0.25);
    });
    for (Index i = 0; i < p; ++i) {
      const Codes::Place code = codes_.of(i);
      double limit = 0;
      for (std::size_t e = code.begin; e < code.end; ++e) limit = std::max(limit, kTolerated * typical[code.atom(e)]);
      const double excess = limit / std::max(squares[i], 1e-300);
      weights[i] = is_cut[i] ? 0 : excess >= 1 ? 1 : excess * excess;
      if (squares[i] == 0) weights[i] = 1;
    }
    relative_ = squares.cwiseQuotient(energy_.cwiseMax(1e-300)) * static_cast<double>(y_.rows());
    result_.exact_samples = (relative_.array() < kExact).cast<double>().mean();
    // Where samples are sparse, the median tells nothing of those that aren't.
    result_.noise = result_.exact_samples >= kNearlyAll       ? 0
                    : result_.exact_samples >= kExactlySparse ? std::sqrt(squares.mean())
                                                              : std::sqrt(quantile(squares, 0.5));
    return weights;
  }

  // Not those without use, without energy, twice there, or wandering: atoms that don't come to rest among others that
  // do are mixtures of some that are missing, which are found better from what is left.
  std::vector<bool> which_to_keep(const Matrix<double>& whitened, const Vector<double>& energies, int round) {
    const Vector<double> whitened_energies = energies.cwiseProduct(whitened.colwise().squaredNorm().transpose());
    const double typical_energy = quantile(whitened_energies, 0.5);
    const double typical_move = quantile(moves_, 0.5);
    if (!pace_.drops) return std::vector<bool>(static_cast<std::size_t>(d_.cols()), true);
    std::vector<bool> keep = duplicates(unit_columns(whitened), whitened_energies, pace_.duplicate);
    for (Index j = 0; j < d_.cols(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      const bool moves = round > 2 && moves_[j] > std::max(kMoves, kHardlyLess * last_moves_[j]) &&
                         moves_[j] > kFurther * typical_move;
      wandering_[at] = moves ? wandering_[at] + 1 : 0;
      keep[at] = !keep[at] && !unused_[at] && whitened_energies[j] >= kIdleInFinish * typical_energy &&
                 wandering_[at] < kPatience;
    }
    return keep;
  }

  void describe(const ByAtom& by_atom, const Vector<double>& energies, const std::vector<bool>& keep) {
    const auto p = static_cast<double>(y_.cols());
    Vector<double> uses(d_.cols()), exact_uses = Vector<double>::Zero(d_.cols());
    for (Index j = 0; j < d_.cols(); ++j) {
      uses[j] = static_cast<double>(by_atom.uses(j));
      for (Index e = by_atom.begin[j]; e < by_atom.begin[j + 1]; ++e) {
        exact_uses[j] += relative_[by_atom.samples[e]] < kExact && by_atom.values[e] != 0;
      }
    }
    const double enough = std::max(kLeastExactUses, kExactUses * quantile(exact_uses, 0.5));
    std::vector<Index> kept;
    std::vector<int> wandering;
    result_.exact.clear();
    for (Index j = 0; j < d_.cols(); ++j) {
      if (!keep[static_cast<std::size_t>(j)]) continue;
      kept.push_back(j);
      wandering.push_back(wandering_[static_cast<std::size_t>(j)]);
      result_.exact.push_back(exact_uses[j] >= enough);
    }
    result_.energy = energies(kept);
    result_.usage = uses(kept) / p;
    result_.nonzeros = uses.sum() / p;
    result_.left = codes_.squared_residual.sum() / energy_.sum();
    last_moves_ = moves_(kept);
    wandering_ = std::move(wandering);
    d_ = Matrix<double>(d_(Eigen::all, kept));
  }

  const Means& means_;
  Matrix<double> y_;  // shifted
  const Vector<double>& scale_;
  Vector<double> coding_;  // scale_, or ones
  Matrix<double> z_;       // coding_·y_
  Matrix<float> single_z_;
  Vector<double> energy_;  // ‖y‖² of each sample
  Pace pace_ = kToTheLastDigit;
  Rule rule_;
  Chance chance_;
  Matrix<double> d_;
  Codes codes_;
  std::optional<ByAtom> by_atom_;
  std::vector<bool> unused_;
  Vector<double> relative_;     // ‖r‖²/‖y‖², for each dimension left
  Vector<double> moves_;        // of each atom: its largest entry, in the last regression of a round
  Vector<double> last_moves_;   // the same of the round before, for those that were kept
  std::vector<int> wandering_;  // rounds in a row
  double least_step_ = std::numeric_limits<double>::infinity();
  int stalled_ = 0;  // rounds since it was halved
  double least_left_ = std::numeric_limits<double>::infinity();
  int same_left_ = 0;   // rounds since it fell
  double shifted_ = 0;  // in the last regression
  Finished result_;
};

}  // namespace

bool Finished::has_round() const { return left < 1; }

bool Finished::is_sparse() const { return exact_samples >= kExactlySparse && exact_atoms() > 0; }

Index Finished::exact_atoms() const { return static_cast<Index>(std::count(exact.begin(), exact.end(), true)); }

Finished finish(const Matrix<double>& y, const Vector<double>& scale, const Matrix<double>& atoms, const Pace& pace,
                const Means& means) {
  return Finish(y, scale, means).run(atoms, pace);
}

Finished only(const Matrix<double>& y, const Vector<double>& scale, const Finished& learned,
              const std::vector<Index>& kept, const Means& means) {
  Finished result = learned;
  result.atoms = learned.atoms(Eigen::all, kept);
  result.energy = learned.energy(kept);
  result.usage = learned.usage(kept);
  result.exact.clear();
  for (const Index j : kept) result.exact.push_back(learned.exact[static_cast<std::size_t>(j)]);
  const bool are_all = static_cast<Index>(kept.size()) == learned.atoms.cols();
  return are_all ? result : Finish(y, scale, means).described(result);
}

}  // namespace orthodict::solver::overcomplete
