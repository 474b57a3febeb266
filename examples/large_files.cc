// SPDX-License-Identifier: Apache-2.0
// large_files FOLDER: learns from files that may be larger than memory. They are written to FOLDER and stay there.
#include <fcntl.h>
#include <orthodict/orthodict.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace {

// Writes 10000 samples, a thousand at a time: they are never all in memory.
void write_part(const std::filesystem::path& path, const orthodict::Synthetic& data, orthodict::Index first) {
  const auto file = orthodict::open_row_writer(path, orthodict::ElementType::kF32, 10000, data.options().dimension);
  for (orthodict::Index done = 0; done < 10000; done += 1000) file->append(data.samples(first + done, 1000));
  file->commit();
}

// Reads a pipe, a socket or, as here, a file once from its beginning to its end, in sections of 5000 samples.
orthodict::FitResult fit_once_through(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto stream = orthodict::open_sample_stream(descriptor, path);
  auto result = orthodict::fit_stream([&](const std::stop_token& stop) { return stream->read(5000, stop); });
  close(descriptor);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: large_files FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const orthodict::Synthetic data({.dimension = 40, .samples = 30000, .theta = 0.3, .seed = 1});
  write_part(folder / "part-0.npy", data, 0);
  write_part(folder / "part-1.npy", data, 10000);
  write_part(folder / "part-2.npy", data, 20000);

  // Files are mapped and read in place; those for which memory doesn't suffice are read while they are used.
  std::vector<std::unique_ptr<orthodict::Samples>> parts;
  for (const char* name : {"part-0.npy", "part-1.npy", "part-2.npy"}) {
    parts.push_back(orthodict::read_samples(folder / name));
  }
  const auto one = orthodict::fit(*parts.front());
  const auto all = orthodict::fit(*orthodict::join_samples(std::move(parts)));
  const auto stream = fit_once_through(folder / "part-0.npy");

  bool exact = true;
  for (const auto& [model, summary] : {one, all, stream}) {
    const double worst = orthodict::compare(model, data.dictionary()).worst_cosine;
    std::cout << summary.samples << " samples: " << summary.established << " of " << summary.atoms
              << " atoms established, least cosine with the true ones " << worst << "\n";
    exact = exact && worst > 1 - 1e-6;  // the files are in single precision
  }
  return exact ? 0 : 1;
}
