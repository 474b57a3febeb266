// SPDX-License-Identifier: Apache-2.0
#include "targets.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

#include "cli/arguments.h"
#include "files/file_descriptor.h"
#include "orthodict/orthodict.h"

namespace orthodict::fuzz {
namespace {

// A temporary folder, in memory if possible, which is removed at exit.
class Folder {
 public:
  Folder() {
    const bool has_memory = std::filesystem::is_directory("/dev/shm");
    path_ = std::string(has_memory ? "/dev/shm" : "/tmp") + "/orthodict-fuzz-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create a temporary folder");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name, std::span<const std::uint8_t> data) const {
    const std::string path = path_ + "/" + name;
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data.data(), data.size()) != static_cast<ssize_t>(data.size())) {
      throw std::runtime_error("cannot write a temporary file");
    }
    close(fd);
    return path;
  }

 private:
  std::string path_;
};

const Folder& folder() {
  static const Folder kFolder;
  return kFolder;
}

// Reads all samples, or the first and last ones of many: a sparse file can be very large.
void read_values(const Samples& samples) {
  const Index count = std::min<Index>(samples.size(), 64);
  if (samples.dimension() > 1'000'000) return;
  std::vector<float> single(static_cast<std::size_t>(samples.dimension() * count));
  std::vector<double> wide(single.size());
  for (const Index first : {Index{0}, samples.size() - count}) {
    (void)samples.block(first, count, single.data());
    (void)samples.block(first, count, wide.data());
  }
}

using Target = std::function<void(std::span<const std::uint8_t>)>;

Target samples_in(const std::string& name) {
  return [name](std::span<const std::uint8_t> data) {
    const std::string path = folder().file(name, data);
    for (const Layout layout : {Layout::kRows, Layout::kColumns}) {
      try {
        read_values(*read_samples(path, layout));
      } catch (const Error&) {
      }
    }
    const Array array = read_array(path);
    if (array.rows() * array.columns() < 1'000'000) (void)to_matrix(array);
  };
}

// Reads a stream in sections of three samples and as a whole. Its header can't be checked against its length, so
// streams with very large claims are skipped.
void read_stream(std::span<const std::uint8_t> data) {
  const std::string path = folder().file("x.stream", data);
  const auto read = [&](const std::function<std::unique_ptr<SampleStream>(int)>& open_stream, Index section) {
    try {
      const files::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
      const auto stream = open_stream(file.get());
      if (stream->dimension() > 1'000 || stream->size().value_or(0) > 10'000) return;
      while (const auto samples = stream->read(section, {})) read_values(*samples);
    } catch (const Error&) {
    }
  };
  for (const Index section : {Index{3}, Index{10'000}}) {
    for (const Layout layout : {Layout::kRows, Layout::kColumns}) {
      read([&](int file) { return open_sample_stream(file, "stream", layout); }, section);
    }
    read([&](int file) { return open_raw_sample_stream(file, "stream", ElementType::kF32, 3); }, section);
  }
}

void read_picture(const std::string& name, std::span<const std::uint8_t> data) {
  const std::string path = folder().file(name, data);
  const Image image = read_image(path);
  read_values(*image_patches({image}, {.patch = {2, 2}}));
}

void read_model(std::span<const std::uint8_t> data) {
  const Model model = load_model(folder().file("model.npz", data));
  (void)sample_shape(model);
  const Matrix<double> zeros = Matrix<double>::Zero(model.dimension(), 2);
  (void)encode(model, *samples_in_columns(zeros), 0, 2);
}

// Resumes from the bytes as a checkpoint of a fit, which valid ones may match.
void resume(std::span<const std::uint8_t> data) {
  static const Matrix<double> kSamples = Synthetic({.dimension = 3, .samples = 60, .seed = 1}).samples().transpose();
  const std::string path = folder().file("run.checkpoint", data);
  for (const std::optional<std::string>& stretch : {std::optional<std::string>(), std::optional<std::string>("l4")}) {
    try {
      (void)fit(*samples_in_columns(kSamples),
                {.stretch = stretch, .max_iterations = 50, .threads = 1, .checkpoint_every = 1e9, .resume = path});
    } catch (const Error&) {
    }
  }
}

// Parsers of option values.
void parse_options(std::span<const std::uint8_t> data) {
  const std::string text(data.begin(), data.end());
  const std::vector<std::function<void()>> parsers = {
      [&] { (void)make_stretch(text); },
      [&] { (void)cli::parse_extents("--size", text); },
      [&] { (void)cli::parse_patch_shape("--patch", text); },
      [&] { (void)parse_element_type(text); },
      [&] { (void)cli::parse_raw_format("--raw", text); },
      [&] { (void)parse_name<Dictionary>("dictionary", text); },
      [&] { (void)parse_name<Normalization>("normalize", text); },
  };
  for (const auto& parse : parsers) {
    try {
      parse();
    } catch (const Error&) {
    }
  }
}

const std::map<std::string, Target, std::less<>>& all_targets() {
  static const std::map<std::string, Target, std::less<>> kTargets = {
      {"npy", samples_in("x.npy")},
      {"npz", samples_in("x.npz")},
      {"stream", read_stream},
      {"csv", samples_in("x.csv")},
      {"idx", samples_in("x.idx")},
      {"idx_gz", samples_in("x.idx.gz")},
      {"mat", samples_in("x.mat")},
      {"h5", samples_in("x.h5")},
      {"png", [](auto data) { read_picture("x.png", data); }},
      {"jpeg", [](auto data) { read_picture("x.jpg", data); }},
      {"tiff", [](auto data) { read_picture("x.tif", data); }},
      {"pnm", [](auto data) { read_picture("x.pgm", data); }},
      {"model", read_model},
      {"checkpoint", resume},
      {"options", parse_options},
  };
  return kTargets;
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> names;
  for (const auto& [name, target] : all_targets()) names.push_back(name);
  return names;
}

void run(std::string_view target, std::span<const std::uint8_t> data) {
  const auto found = all_targets().find(target);
  if (found == all_targets().end()) throw std::invalid_argument("no target " + std::string(target));
  try {
    found->second(data);
  } catch (const Error&) {
  }
}

}  // namespace orthodict::fuzz
