// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/moments.h"
#include "engine/workers.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// What principal components of four fifths of the samples say of the others, for five folds of neighbours.
class HeldOut {
 public:
  // Throws Error if the samples aren't finite, and with Fault::kStopped if a stop was requested.
  HeldOut(const Samples& samples, engine::Workers& workers, const std::stop_token& stop);

  // The mean log-likelihood of held-out samples for k principal components and white noise in the rest (Tipping and
  // Bishop, JRSS B 1999), with the maximum-likelihood estimates from the other samples. Nothing for k ≥ n, if the
  // samples of four folds are no more than the features, or if the rest is only rounding.
  [[nodiscard]] std::optional<double> log_likelihood(Index k) const;

 private:
  // One fold held out: the eigenvalues of the others' covariance, falling, and the variances of its own samples along
  // the eigenvectors, about the others' mean.
  struct Fold {
    double share;  // of the samples
    Vector<double> values;
    Vector<double> variances;
  };

  std::vector<Fold> folds_;
};

}  // namespace orthodict
