// SPDX-License-Identifier: Apache-2.0
#include <orthodict/mpi.h>
#include <orthodict/orthodict.h>

#include <iostream>

// Each rank makes half of the samples, and all learn from all of them.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool found = false;
  {
    const std::shared_ptr<orthodict::Ranks> ranks = orthodict::make_mpi_ranks(MPI_COMM_WORLD);
    const orthodict::Synthetic data({.dimension = 20, .samples = 5000, .theta = 0.2, .seed = 1});
    const orthodict::RowMatrix<double> x = data.samples(2500 * ranks->rank(), 2500);
    const auto own = orthodict::samples_in_rows(x);

    orthodict::Options options;
    options.ranks = ranks;
    options.threads = orthodict::threads_of_rank(MPI_COMM_WORLD);
    const auto [model, summary] = orthodict::fit(*orthodict::samples_of_ranks(*own, *ranks), options);

    if (ranks->rank() == 0) std::cout << summary.brief_report() << "\n";
    found = summary.samples == 5000 && orthodict::compare(model, data.dictionary()).error < 1e-10;
  }
  MPI_Finalize();
  return found ? 0 : 1;
}
