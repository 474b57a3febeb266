// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "solver/coordinates.h"
#include "solver/lens.h"
#include "solver/run.h"

namespace orthodict::solver {

// The number of the i-th sample of a part.
using Order = std::function<Index(Index)>;

// Samples as method auto sees them, in the coordinates of A and in units of their rms: x = W(y − m)/rms. Either all
// samples, where they lie, or a random part of them, copied.
class View {
 public:
  // All samples. Run and coordinates must outlive the view.
  static View of_all(Run& run, const Coordinates& coordinates, Precision precision);
  // Samples order(0) … order(count − 1). Those that aren't copied yet when a stop is requested are zeros.
  static View of_part(Run& run, const Coordinates& coordinates, const Order& order, Index count, Precision precision,
                      const std::stop_token& stop = {});

  // A part that another run looks at beside this one, in the same storage: all its samples, or those at `columns`, in
  // rising order; one may occur several times. This view must outlive it.
  [[nodiscard]] View seen_by(Run& run) const;
  [[nodiscard]] View seen_by(Run& run, std::vector<Index> columns) const;

  // Sees the samples through a lens from now on. For parts that have none yet.
  void see_through(const Lens& lens);

  [[nodiscard]] Index size() const { return samples_->size(); }
  [[nodiscard]] Precision precision() const { return precision_; }
  // The share of a part's samples that equal another one of it.
  [[nodiscard]] double duplicates() const { return static_cast<double>(duplicates_) / static_cast<double>(size()); }
  // Cuts samples that are longer than √(2d) to that length: heavy tails then weigh no more than the rest. For parts
  // only.
  void cut_long_samples();
  [[nodiscard]] const Vector<double>& mean() const { return mean_; }  // of x, where samples are centred
  // Σ (x − shift)(x − shift)ᵀ/size.
  [[nodiscard]] Matrix<double> second_moment(const Vector<double>& shift) const;

  // A pass with z = B(x − shift), and its sums in these coordinates. Nothing when a stop was requested on the way.
  [[nodiscard]] std::optional<engine::PassResult> pass(const Matrix<double>& b, const Vector<double>& shift,
                                                       const Stretch& stretch, engine::PassOutput output) const;

  // The coefficients B(x − shift) of the first `count` samples. For parts only. Throws Error where there isn't enough
  // memory for them and for so many matrices of this size that are made of them.
  [[nodiscard]] Matrix<double> codes(const Matrix<double>& b, const Vector<double>& shift, Index count,
                                     Index made_of_them) const;

 private:
  View(Run& run, const Coordinates* coordinates, Precision precision)
      : run_(&run), coordinates_(coordinates), precision_(precision) {}
  [[nodiscard]] bool is_single() const { return precision_ != Precision::kF64; }
  [[nodiscard]] bool is_complex() const { return run_->is_complex(); }
  template <typename Scalar>
  void copy(const Coordinates& coordinates, const Order& order, Index count, const std::stop_token& stop,
            std::shared_ptr<Matrix<Scalar>>* to);
  void count_duplicates(std::vector<std::uint64_t> hashes);
  void measure();
  template <typename Scalar>
  [[nodiscard]] Matrix<Scalar> first(const Matrix<Scalar>& stored, Index count) const;

  Run* run_;
  const Coordinates* coordinates_;  // null for a copy, which is in these coordinates already
  Precision precision_;
  Index duplicates_ = 0;
  const Samples* samples_ = nullptr;
  std::shared_ptr<Matrix<float>> single_;  // the copy, in one precision or the other
  std::shared_ptr<Matrix<double>> double_;
  std::vector<Index> columns_;  // of the copy that are seen; all if empty
  Lens lens_;
  std::unique_ptr<Samples> copied_;
  Vector<double> mean_;
  Matrix<double> second_moment_;  // about zero
};

}  // namespace orthodict::solver
