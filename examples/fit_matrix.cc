// SPDX-License-Identifier: Apache-2.0
// Learns a dictionary from matrices that a program already has.
#include <orthodict/orthodict.h>

#include <Eigen/Core>
#include <iostream>
#include <vector>

int main() {
  // Made-up samples whose dictionary is known: sparse mixtures of 20 atoms.
  const orthodict::Synthetic data({.dimension = 20, .samples = 5000, .theta = 0.2, .seed = 1});

  // An ordinary matrix, with a sample in each row.
  const Eigen::MatrixXd x = data.samples();
  const auto [model, summary] = orthodict::fit(x, {.seed = 7});
  std::cout << summary.brief_report() << "\n";

  // A buffer in single precision, with a sample every 24 numbers. The Map has samples in its columns; it is read in
  // place and not copied.
  std::vector<float> buffer(5000 * 24);
  Eigen::Map<Eigen::MatrixXf, 0, Eigen::OuterStride<>> y(buffer.data(), 20, 5000, Eigen::OuterStride<>(24));
  y = x.transpose().cast<float>();
  const auto of_map = orthodict::fit(*orthodict::samples_in_columns(y), {.seed = 7});

  // Atoms are rows of unit norm, and each has a confidence: its expected squared cosine with the true atom.
  std::cout << "dictionary: " << model.dictionary.rows() << " x " << model.dictionary.cols()
            << ", least confidence: " << model.confidence.minCoeff() << "\n";

  const double worst = orthodict::compare(model, data.dictionary()).worst_cosine;
  const double worst_of_map = orthodict::compare(of_map.model, data.dictionary()).worst_cosine;
  std::cout << "least cosine with the true atoms: " << worst << ", of the map: " << worst_of_map << "\n";

  const bool exact = worst > 1 - 1e-9 && worst_of_map > 1 - 1e-9;
  return summary.is_usable() && exact ? 0 : 1;
}
