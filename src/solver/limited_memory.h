// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "formats/npz.h"
#include "orthodict/types.h"
#include "solver/checkpoint.h"

namespace orthodict::solver {

// The L-BFGS approximation of an inverse Hessian from the last steps and the changes of the gradient along them
// (Nocedal and Wright, Numerical Optimization, algorithm 7.4), on top of a diagonal Hessian.
class LimitedMemory {
 public:
  explicit LimitedMemory(std::size_t most) : most_(most) {}

  // Remembers a step and how much the gradient of the function to minimize grew along it. A pair without clearly
  // positive curvature is left out, so that the approximation stays positive definite.
  void add(const Vector<double>& step, const Vector<double>& growth);
  // The product of the approximation with g. `diagonal` is the diagonal Hessian, of positive numbers.
  [[nodiscard]] Vector<double> times(Vector<double> g, const Vector<double>& diagonal) const;
  void forget() { pairs_.clear(); }
  [[nodiscard]] bool is_empty() const { return pairs_.empty(); }

  void save(const std::string& name, formats::NpzBuilder* file) const;
  void load(const std::string& name, Index size, const formats::NpzFile& file, const Checkpoint& checkpoint);

 private:
  struct Pair {
    Vector<double> step;
    Vector<double> growth;
    double product;  // of the two
  };
  std::size_t most_;
  std::deque<Pair> pairs_;  // the oldest first
};

}  // namespace orthodict::solver
