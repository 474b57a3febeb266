// SPDX-License-Identifier: Apache-2.0
#include "coding/active_set.h"

#include <algorithm>
#include <cmath>

#include "coding/constants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "coding/active_set.cc"
#include "simd/targets.h"
// Highway requires this order of includes.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace orthodict::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The largest |e_j|/(1 − sign(e_j)·a_j), and its j; 0 where the divisor is no more than rounding.
template <typename Scalar>
HWY_INLINE Index next_of(const Scalar* HWY_RESTRICT e, const Scalar* HWY_RESTRICT a, Index size, Scalar rounding,
                         Scalar* level) {
  const hn::ScalableTag<Scalar> d;
  constexpr auto kLanes = static_cast<Index>(hn::MaxLanes(d));
  const auto one = hn::Set(d, Scalar(1)), least = hn::Set(d, rounding);
  auto highest = hn::Zero(d), places = hn::Zero(d);
  auto place = hn::Iota(d, 0);
  for (Index i = 0; i < size; i += kLanes) {
    const auto value = hn::LoadU(d, e + i);
    const auto divisor = hn::Sub(one, hn::Mul(hn::LoadU(d, a + i), hn::CopySign(one, value)));
    const auto here = hn::IfThenElseZero(hn::Gt(divisor, least), hn::Div(hn::Abs(value), divisor));
    const auto is_higher = hn::Gt(here, highest);
    highest = hn::IfThenElse(is_higher, here, highest);
    places = hn::IfThenElse(is_higher, place, places);
    place = hn::Add(place, hn::Set(d, static_cast<Scalar>(kLanes)));
  }
  const auto most = hn::MaxOfLanes(d, highest);
  *level = hn::GetLane(most);
  const auto nowhere = hn::Set(d, static_cast<Scalar>(size));
  return static_cast<Index>(hn::GetLane(hn::MinOfLanes(d, hn::IfThenElse(hn::Eq(highest, most), places, nowhere))));
}

Index next_f32(const float* e, const float* a, Index size, float rounding, float* level) {
  return next_of(e, a, size, rounding, level);
}
Index next_f64(const double* e, const double* a, Index size, double rounding, double* level) {
  return next_of(e, a, size, rounding, level);
}

}  // namespace orthodict::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace orthodict::coding {
namespace {

HWY_EXPORT(next_f32);
HWY_EXPORT(next_f64);

Index next(const float* e, const float* a, Index size, float rounding, float* level) {
  return HWY_DYNAMIC_DISPATCH(next_f32)(e, a, size, rounding, level);
}
Index next(const double* e, const double* a, Index size, double rounding, double* level) {
  return HWY_DYNAMIC_DISPATCH(next_f64)(e, a, size, rounding, level);
}

// Signs that may be wrong, besides one of eight, for the direct way to be the shorter one.
constexpr Index kFewWrong = 4;
constexpr Index kLook = 16;  // atoms between two looks at the signs

template <typename Scalar>
Scalar sign_of(Scalar value) {
  return value > 0 ? Scalar(1) : Scalar(-1);
}

}  // namespace

template <typename Scalar>
ActiveSet<Scalar>::ActiveSet(const Products<Scalar>& products)
    : products_(products),
      basis_(products),
      residual_(static_cast<std::size_t>(products.stride())),
      directions_(residual_.size()) {}

template <typename Scalar>
bool ActiveSet<Scalar>::solve(const Scalar* correlations, double norm, double penalty) {
  penalty_ = penalty;
  slack_ = std::max(kLassoAccuracy<Scalar> * penalty, kRounding<Scalar> * norm);
  if (solve_directly(correlations) && meets_conditions(correlations)) return true;
  follow_path(correlations);
  return meets_conditions(correlations);
}

template <typename Scalar>
void ActiveSet<Scalar>::start(const Scalar* correlations) {
  std::copy_n(correlations, products_.stride(), residual_.data());
  basis_.start(residual_.data());
  values_.clear();
  signs_.clear();
}

// With r computed anew, so that it has no errors of what led to the code.
template <typename Scalar>
bool ActiveSet<Scalar>::meets_conditions(const Scalar* correlations) {
  const double largest = products_.residual(correlations, atoms(), values_, residual_.data());
  if (!(largest <= penalty_ + slack_)) return false;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto r = static_cast<double>(residual_[static_cast<std::size_t>(atoms()[i])]);
    const double here = values_[i] == 0 ? 0 : r * sign_of(values_[i]) - penalty_;
    if (!(std::abs(here) <= slack_)) return false;
  }
  return true;
}

template <typename Scalar>
bool ActiveSet<Scalar>::solve_directly(const Scalar* correlations) {
  start(correlations);
  const Index most = 1 + products_.dimension() * 3 / 4;
  for (Index atom = basis_.largest(); violates(atom); atom = basis_.largest()) {
    const bool looks = basis_.size() % kLook == kLook - 1;
    if (basis_.size() == most || (looks && has_many_wrong_signs()) || !add(atom)) return false;
  }
  if (has_many_wrong_signs()) return false;
  values_ = basis_.coefficients();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!(values_[i] * signs_[i] > 0)) values_[i] = 0;
  }
  for (Index left = 2 * kFewWrong + basis_.size() / 4; left > 0; --left) {
    const Step result = step();
    if (result != Step::kGoesOn) return result == Step::kDone;
  }
  return false;
}

template <typename Scalar>
bool ActiveSet<Scalar>::has_many_wrong_signs() {
  const std::vector<Scalar>& x = basis_.coefficients();
  Index wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += x[i] * signs_[i] > 0 ? 0 : 1;
  return wrong > kFewWrong + basis_.size() / 8;
}

template <typename Scalar>
typename ActiveSet<Scalar>::Step ActiveSet<Scalar>::step() {
  const std::vector<Scalar>& target = basis_.coefficients();
  Index first = -1;
  Scalar share = 1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] * signs_[i] > 0) continue;
    const Scalar way = values_[i] - target[i];
    const Scalar here = way != 0 ? std::clamp<Scalar>(values_[i] / way, 0, 1) : 0;
    if (first >= 0 && here >= share) continue;
    first = static_cast<Index>(i);
    share = here;
  }
  if (first < 0) {
    values_ = target;
    const Index atom = basis_.largest();
    if (!violates(atom)) return Step::kDone;
    if (!add(atom)) return Step::kFails;
    values_.push_back(0);
    return Step::kGoesOn;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += share * (target[i] - values_[i]);
  values_.erase(values_.begin() + first);
  basis_.drop(first);
  signs_.erase(signs_.begin() + first);
  return Step::kGoesOn;
}

// From the λ with x = 0 down to the one that is wanted.
template <typename Scalar>
void ActiveSet<Scalar>::follow_path(const Scalar* correlations) {
  start(correlations);
  slopes_.clear();
  dependent_.clear();
  std::fill(directions_.begin(), directions_.end(), Scalar(0));
  const Index most_steps = 100 + 20 * products_.atoms();  // with more, rounding makes it go round in circles
  for (Index i = 0;; ++i) {
    basis_.update();
    extend_direction();
    const auto [leaver, leaves_at] = next_to_leave();
    const auto [joiner, joins_at] = next_to_join();
    const double next = std::max(leaves_at, joins_at);
    if (next <= penalty_ || i == most_steps) {
      const auto level = static_cast<Scalar>(std::max(next, penalty_));
      for (std::size_t at = 0; at < values_.size(); ++at) values_[at] -= level * value_slopes_[at];
      return;
    }
    if (leaves_at >= joins_at) {
      basis_.drop(leaver, &slopes_, directions_.data());
      signs_.erase(signs_.begin() + leaver);
      dependent_.clear();
      continue;
    }
    const Scalar sign = sign_of(residual_[static_cast<std::size_t>(joiner)]);
    if (basis_.add(joiner)) {
      signs_.push_back(sign);
    } else {
      dependent_.push_back(joiner);
    }
  }
}

// Atoms at the end of the basis add their share to v and a.
template <typename Scalar>
void ActiveSet<Scalar>::extend_direction() {
  const auto known = static_cast<Index>(slopes_.size());
  if (known == basis_.size()) return;
  basis_.solve_lower(signs_, &slopes_, known);
  basis_.combine(slopes_, known, directions_.data());
}

// The atom of S whose coefficient becomes zero first, and at which λ.
template <typename Scalar>
std::pair<Index, double> ActiveSet<Scalar>::next_to_leave() {
  values_ = basis_.weights();
  value_slopes_ = slopes_;
  basis_.solve_upper(&values_, &value_slopes_);
  std::pair<Index, double> next = {-1, 0};
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!(value_slopes_[i] * signs_[i] < 0)) continue;  // grows as λ falls
    const double level = static_cast<double>(values_[i]) / static_cast<double>(value_slopes_[i]);
    if (level > next.second) next = {static_cast<Index>(i), level};
  }
  return next;
}

// The atom that joins S next, and at which λ. Those of S have e = 0 but for rounding, and those that depend on S as
// well.
template <typename Scalar>
std::pair<Index, double> ActiveSet<Scalar>::next_to_join() {
  for (const Index atom : atoms()) residual_[static_cast<std::size_t>(atom)] = 0;
  for (const Index atom : dependent_) residual_[static_cast<std::size_t>(atom)] = 0;
  Scalar level = 0;
  const Index atom =
      next(residual_.data(), directions_.data(), products_.stride(), static_cast<Scalar>(kRounding<Scalar>), &level);
  return {atom, static_cast<double>(level)};
}

template <typename Scalar>
bool ActiveSet<Scalar>::violates(Index atom) const {
  return !(std::abs(static_cast<double>(basis_.correlation(atom))) <= penalty_ + slack_);
}

template <typename Scalar>
bool ActiveSet<Scalar>::add(Index atom) {
  if (basis_.contains(atom)) return false;
  const Scalar sign = sign_of(basis_.correlation(atom));
  if (!basis_.add(atom, sign * static_cast<Scalar>(penalty_))) return false;
  signs_.push_back(sign);
  return true;
}

template class ActiveSet<float>;
template class ActiveSet<double>;

}  // namespace orthodict::coding
#endif  // HWY_ONCE
