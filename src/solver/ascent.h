// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "formats/npz.h"
#include "orthodict/types.h"
#include "solver/checkpoint.h"
#include "solver/limited_memory.h"

namespace orthodict::solver {

// Means over the samples x at an iterate A, for z = Ax in units of rms.
struct Slope {
  Vector<double> values;       // ⟨φ(z_i)⟩
  Vector<double> curvatures;   // ⟨φ''(z_i)⟩
  Matrix<double> correlation;  // ⟨φ'(z)xᵀ⟩, with x in the same units
  double rounding = 0;         // relative error of the values
};

// F(A) = Σ_i s_i⟨φ(z_i)⟩ and its derivatives with respect to the coordinates of a step: A ← polar(A + EA + N), for a
// skew E (k×k) and, if k < d, an N with NAᵀ = 0. Coordinates are e_ij for i < j (column by column), then the entries of
// N. Complex matrices are in real form (linalg/complex.h).
struct Derivatives {
  double objective = 0;
  Vector<double> gradient;
  Vector<double> curvature;  // the diagonal of −Hessian where coefficients are independent, made positive
  double norm = 0;           // the largest entry of the gradient, relative to that of a plain step (Options::tolerance)
};
[[nodiscard]] Derivatives derivatives(const Matrix<double>& unit_covariance, const Vector<double>& signs,
                                      const Matrix<double>& a, const Slope& slope);
// A + EA + N, which is to be projected.
[[nodiscard]] Matrix<double> moved(const Matrix<double>& a, const Vector<double>& step);

// Maximizes F over matrices A (k×d) with orthonormal rows or, for k > d, columns, by a
// preconditioned quasi-Newton method (docs/math.md). The signs s_i are 1 or, for white samples, those for which A is
// near a maximum: sources of both signs of kurtosis are separated then, as by bias removal.
//
//   Ascent ascent(…);
//   while (ascent.gradient() > tolerance) {
//     a = project(ascent.trial());
//     ascent.take(a, slope at a);
//   }
class Ascent {
 public:
  struct Problem {
    Matrix<double> unit_covariance;  // of x, d×d
    bool has_signs = false;
    bool is_complex = false;
  };
  explicit Ascent(Problem problem) : problem_(std::move(problem)) {}

  // Takes the slope at the projected trial, or at a start. True if it becomes the iterate, because F rose enough;
  // otherwise the next trial is closer to the iterate.
  bool take(const Matrix<double>& a, const Slope& slope);

  // The slope at the iterate again, more exactly.
  void reconsider(const Slope& slope);

  [[nodiscard]] bool has_iterate() const { return a_.size() > 0; }
  [[nodiscard]] const Matrix<double>& iterate() const { return a_; }
  [[nodiscard]] double objective() const { return objective_; }  // F
  // The left side of the inequality of Options::tolerance.
  [[nodiscard]] double gradient() const { return gradient_norm_; }
  // F doesn't rise along the gradient any more: what is left of it is rounding.
  [[nodiscard]] bool is_stuck() const { return is_stuck_; }
  [[nodiscard]] int taken() const { return taken_; }  // calls of take()
  // What to project.
  [[nodiscard]] Matrix<double> trial() const { return moved(a_, length_ * direction_); }

  // The iterate, its gradient, the direction and the memory.
  void save(formats::NpzBuilder* file) const;
  void load(Index rows, Index columns, const formats::NpzFile& file, const Checkpoint& checkpoint);

 private:
  static constexpr std::size_t kMemory = 10;  // pairs

  [[nodiscard]] Vector<double> signs_of(const Matrix<double>& a, const Slope& slope) const;
  [[nodiscard]] bool is_higher(double objective, double rounding, const Vector<double>& gradient) const;
  void shorten(double objective);
  void settle(Derivatives at);
  void set_direction(const Vector<double>& curvature);
  [[nodiscard]] double dot(const Vector<double>& a, const Vector<double>& b) const;

  Problem problem_;
  Vector<double> signs_;
  Matrix<double> a_;  // the iterate
  double objective_ = 0;
  Vector<double> gradient_;
  double gradient_norm_ = 0;
  Vector<double> plain_;      // the gradient divided by the diagonal: the direction without memory
  Vector<double> direction_;  // from the iterate
  double length_ = 1;         // t of the trial
  int trials_ = 0;            // along the direction
  int taken_ = 0;
  Index sign_changes_ = 0;  // of all atoms so far
  bool is_stuck_ = false;
  LimitedMemory memory_{kMemory};
};

}  // namespace orthodict::solver
