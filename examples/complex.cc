// SPDX-License-Identifier: Apache-2.0
// Learns a unitary dictionary from complex samples, and encodes them.
#include <orthodict/orthodict.h>

#include <Eigen/Core>
#include <complex>
#include <iostream>

int main() {
  // Made-up complex samples of a known dictionary, with a sample in each row.
  const orthodict::Synthetic data({.dimension = 20, .samples = 1000, .theta = 0.2, .seed = 1, .is_complex = true});
  const Eigen::MatrixXcd z = orthodict::as_complex(data.samples());

  const auto [model, summary] = orthodict::fit(z, {.seed = 7});
  std::cout << summary.brief_report() << "\n";

  // Results have the real and the imaginary part of a number in neighbouring columns; as_complex() views them.
  const auto atoms = orthodict::as_complex(model.dictionary);
  const double off = (atoms * atoms.adjoint() - Eigen::MatrixXcd::Identity(20, 20)).norm();
  std::cout << "dictionary: " << atoms.rows() << " x " << atoms.cols() << (off < 1e-10 ? ", unitary\n" : "\n");

  const orthodict::RowMatrix<double> codes = orthodict::encode(model, z);
  const auto coefficients = orthodict::as_complex(codes);
  const auto zeros = (coefficients.cwiseAbs().array() < 1e-9).count();
  std::cout << "zero coefficients: " << 100.0 * static_cast<double>(zeros) / static_cast<double>(coefficients.size())
            << " %\n";
  const double difference = (coefficients * atoms - z).norm();

  const double worst = orthodict::compare(model, data.dictionary()).worst_cosine;
  std::cout << "least cosine with the true atoms: " << worst << "\n";
  return worst > 1 - 1e-9 && difference < 1e-9 ? 0 : 1;
}
