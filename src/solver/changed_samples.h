// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "orthodict/samples.h"

namespace orthodict::solver {

// Samples of which some or all are changed when they are read, each by itself. The underlying samples must outlive the
// object.
class ChangedSamples : public Samples {
 public:
  explicit ChangedSamples(const Samples& samples) : samples_(samples) {}

  [[nodiscard]] Index dimension() const final { return samples_.dimension(); }
  [[nodiscard]] Index size() const final { return samples_.size(); }
  [[nodiscard]] const std::string& name() const final { return samples_.name(); }
  [[nodiscard]] std::vector<Index> sample_shape() const final { return samples_.sample_shape(); }
  [[nodiscard]] bool is_complex() const final { return samples_.is_complex(); }
  [[nodiscard]] bool fits_f32() const final { return false; }
  [[nodiscard]] bool is_shared_out() const final { return samples_.is_shared_out(); }
  [[nodiscard]] SamplePlace place_of(Index sample) const final { return samples_.place_of(sample); }
  Block<float> block(Index first, Index count, float* scratch) const final;
  Block<double> block(Index first, Index count, double* scratch) const final;

 private:
  // Whether any of these samples is changed.
  [[nodiscard]] virtual bool changes(Index first, Index count) const = 0;
  virtual void change(Index sample, Vector<double>* y) const = 0;
  template <typename Scalar>
  Block<Scalar> changed(Index first, Index count, Scalar* scratch) const;

  const Samples& samples_;
};

}  // namespace orthodict::solver
