// SPDX-License-Identifier: Apache-2.0
#include <orthodict/orthodict.h>

#include <iostream>

int main() {
  const orthodict::Synthetic data({.dimension = 20, .samples = 5000, .theta = 0.2, .seed = 1});
  const orthodict::RowMatrix<double> x = data.samples();  // p×n, a sample is a row

  orthodict::Options options;
  options.stretch = "l4";
  options.seed = 7;
  const auto [model, summary] = orthodict::fit(x, options);

  std::cout << summary.brief_report() << "\n";
  const double error = orthodict::compare(model, data.dictionary()).error;
  std::cout << "error " << error << "\n";
  return summary.termination == orthodict::Termination::kConverged && error < 0.01 ? 0 : 1;
}
