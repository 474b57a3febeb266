// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/moments.h"
#include "engine/workers.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// The samples' moments, from five folds of neighbours, and what these say of samples that weren't used.
class HeldOut {
 public:
  // Throws Error if the samples aren't finite, and with Fault::kStopped if a stop was requested.
  HeldOut(const Samples& samples, engine::Workers& workers, const std::stop_token& stop);

  [[nodiscard]] const Matrix<double>& covariance() const { return covariance_; }  // of all samples
  // The mean log-likelihood of held-out samples for k principal components and white noise in the rest (Tipping and
  // Bishop, JRSS B 1999), with the maximum-likelihood estimates from the other samples. Nothing for k ≥ n, or if the
  // samples of four folds are no more than the features.
  [[nodiscard]] std::optional<double> log_likelihood(Index k) const;

 private:
  // One fold held out: the eigenvalues of the others' covariance, falling, and the variances of its own samples along
  // the eigenvectors, about the others' mean.
  struct Fold {
    double share;  // of the samples
    Vector<double> values;
    Vector<double> variances;
  };

  Matrix<double> covariance_;
  std::vector<Fold> folds_;
};

}  // namespace orthodict
