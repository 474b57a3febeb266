// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "orthodict/samples.h"

namespace orthodict::solver {

// Some of the samples of another source, which must outlive the object. Runs of consecutive samples are read where they
// lie, others are copied block by block.
class SelectedSamples final : public Samples {
 public:
  // `selected` are their numbers in the other source.
  SelectedSamples(const Samples& samples, std::vector<Index> selected);

  [[nodiscard]] Index dimension() const override { return samples_.dimension(); }
  [[nodiscard]] Index size() const override { return static_cast<Index>(selected_.size()); }
  [[nodiscard]] const std::string& name() const override { return samples_.name(); }
  [[nodiscard]] std::vector<Index> sample_shape() const override { return samples_.sample_shape(); }
  [[nodiscard]] bool is_complex() const override { return samples_.is_complex(); }
  [[nodiscard]] bool fits_f32() const override { return samples_.fits_f32(); }
  [[nodiscard]] SamplePlace place_of(Index sample) const override { return samples_.place_of(at(sample)); }
  Block<float> block(Index first, Index count, float* scratch) const override;
  Block<double> block(Index first, Index count, double* scratch) const override;

 private:
  [[nodiscard]] Index at(Index i) const { return selected_[static_cast<std::size_t>(i)]; }
  template <typename Scalar>
  Block<Scalar> selected(Index first, Index count, Scalar* scratch) const;

  const Samples& samples_;
  std::vector<Index> selected_;
};

}  // namespace orthodict::solver
