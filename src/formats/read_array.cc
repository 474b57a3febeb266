// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "files/input_file.h"
#include "files/large/streamed_samples.h"
#include "files/mapped_file.h"
#include "formats/csr.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/registry.h"
#include "formats/sample_stream.h"
#include "memory/allocation.h"
#include "memory/limits.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "samples/sample_traits.h"
#include "text/suffix.h"

namespace orthodict {
namespace {

struct Location {
  std::string path;
  std::string member;
};

// Cuts at the first colon behind the name of a file that can have members: any other colon is part of the path.
Location split_member(const std::string& path) {
  for (std::size_t colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1)) {
    const std::string file = path.substr(0, colon);
    const formats::Format* format = formats::format_of_name(file);
    if (format != nullptr && !format->member.empty()) return {file, path.substr(colon + 1)};
  }
  return {path, ""};
}

// Nothing unless the samples lie in the file one after the other.
std::unique_ptr<Samples> stream(files::InputFile file, const files::ArrayInFile& located, Layout layout) {
  const Array& array = located.array;
  if (!samples::lie_in_order(array, layout)) return nullptr;
  const bool in_rows = layout == Layout::kRows;
  return files::stream_samples(std::move(file), located, in_rows ? array.columns() : array.rows(),
                               in_rows ? array.rows() : array.columns());
}

// Nothing unless the samples of a large array can be read as they are used.
std::unique_ptr<Samples> stream_if_large(const std::string& path, Layout layout) {
  if (path == "-") return nullptr;
  const Location location = split_member(path);
  const formats::Format& format = formats::format_of(location.path);
  if (format.unpack_large != nullptr) {
    const std::size_t most = files::InputFile(location.path).size() * memory::kDeflateRatio;  // that it unpacks to
    if (layout != Layout::kRows || !memory::is_large(most)) return nullptr;
    auto large = format.unpack_large(location.path, location.member);
    return large ? stream(std::move(large->file), large->located, layout) : nullptr;
  }
  files::InputFile file(location.path);
  if (format.locate == nullptr || !memory::is_large(file.size())) return nullptr;
  const auto located = format.locate(file, location.path);
  return located ? stream(std::move(file), *located, layout) : nullptr;
}

}  // namespace

std::unique_ptr<Samples> read_raw_samples(const std::string& path, ElementType type, Index dimension) {
  files::InputFile file(path);
  const std::size_t size = element_size(type);
  if (dimension < 1 || static_cast<std::size_t>(dimension) > file.size() / size) {
    throw option_error("dimension", std::to_string(dimension), "from 1 to the numbers in " + path);
  }
  const std::size_t row = static_cast<std::size_t>(dimension) * size;
  if (file.size() % row != 0) {
    throw data_error(path, fmt::format("{} bytes, which aren't whole samples of {} numbers of type {}", file.size(),
                                       dimension, to_string(type)));
  }
  files::ArrayInFile located;
  located.array.type = type;
  located.array.shape = {static_cast<Index>(file.size() / row), dimension};
  located.array.name = path;
  if (memory::is_large(file.size())) {
    return memory::with_memory_errors(
        path, [&] { return files::stream_samples(std::move(file), located, dimension, located.array.rows()); });
  }
  auto mapped = std::make_shared<const files::MappedFile>(file);
  located.array.data = mapped->bytes().data();
  located.array.owner = std::move(mapped);
  return samples_in_rows(located.array);
}

Array read_array(const std::string& path) {
  return memory::with_memory_errors(path, [&] {
    if (path == "-") return formats::read_npy_stream(STDIN_FILENO, "standard input");
    const auto [file, member] = split_member(path);
    return formats::format_of(file).read(file, member);
  });
}

std::unique_ptr<Samples> read_samples(const std::string& path, Layout layout) {
  if (text::has_suffix(path, ".npz")) {
    const formats::NpzFile file(path);
    if (formats::is_sparse_matrix(file)) {
      if (layout != Layout::kRows) throw data_error(path, "a sparse matrix must have its samples in rows");
      return formats::csr_samples(file, path);
    }
  }
  if (auto streamed = memory::with_memory_errors(path, [&] { return stream_if_large(path, layout); })) return streamed;
  const Array array = read_array(path);
  return layout == Layout::kRows ? samples_in_rows(array) : samples_in_columns(array);
}

}  // namespace orthodict
