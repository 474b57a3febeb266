// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "files/file_descriptor.h"
#include "formats/npy.h"
#include "memory/allocation.h"
#include "memory/limits.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "samples/sample_traits.h"

namespace orthodict {
namespace {

Error cut_off(const Array& header, std::size_t promised, std::size_t there) {
  return data_error(header.name,
                    fmt::format("truncated: header promises {} bytes of data, {} are there", promised, there));
}

// Allocates `bytes` bytes and reads until they are full or the stream ends.
std::size_t fill(int descriptor, std::size_t bytes, const std::stop_token& stop, Array* array) {
  auto data = memory::allocate(array->name, bytes);
  const std::size_t got = files::read_stream(descriptor, {data.get(), bytes}, array->name, stop);
  array->data = data.get();
  array->owner = std::move(data);
  return got;
}

std::size_t promised_bytes(const Array& header) {
  return memory::array_bytes(header.shape, element_size(header.type)).value_or(0);
}

// Throws Error if anything follows the array. Waits until the sender closes its end, since otherwise a second array in
// the stream would go unnoticed.
void require_end(int descriptor, const Array& header, const std::stop_token& stop) {
  std::byte next{};
  if (files::read_stream(descriptor, {&next, 1}, header.name, stop) == 0) return;
  throw data_error(header.name,
                   fmt::format("continues after the {} bytes that its header promises", promised_bytes(header)));
}

// Ctrl-C reaches the sender too, so if the stream ends early a stop request may be about to arrive here.
void wait_for_stop(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kMoment{10};
  for (int i = 0; i < 20 && stop.stop_possible() && !stop.stop_requested(); ++i) std::this_thread::sleep_for(kMoment);
}

// Reads all elements of an array. Returns null if a stop was requested.
void fill_whole(int descriptor, const std::stop_token& stop, Array* array) {
  const std::size_t bytes = promised_bytes(*array);
  const std::size_t got = fill(descriptor, bytes, stop, array);
  if (got == bytes) return require_end(descriptor, *array, stop);
  wait_for_stop(stop);
  if (!stop.stop_requested()) throw cut_off(*array, bytes, got);
}

class PipedSamples final : public SampleStream {
 public:
  // `header` is the array without its elements; its shape has the number of rows if that is known.
  PipedSamples(int descriptor, Array header, Layout layout, bool size_is_known)
      : descriptor_(descriptor),
        header_(std::move(header)),
        in_rows_(layout == Layout::kRows),
        size_is_known_(size_is_known) {
    if (features() < 1) throw data_error(header_.name, "samples have no features; need at least one");
    if (!memory::array_bytes(std::array{Index{40}, features()},
                             sizeof(double) * static_cast<std::size_t>(features()))) {
      throw data_error(header_.name, fmt::format("samples of {} features don't fit in memory", features()));
    }
  }

  [[nodiscard]] Index dimension() const override { return is_complex() ? 2 * features() : features(); }
  [[nodiscard]] bool is_complex() const override { return orthodict::is_complex(header_.type); }
  [[nodiscard]] std::optional<Index> size() const override {
    if (!size_is_known_) return std::nullopt;
    return in_rows_ ? header_.rows() : header_.columns();
  }
  [[nodiscard]] Index section_size() const override {
    constexpr Index kNumbers = Index{1} << 22;
    const auto bytes = memory::array_bytes(header_.shape, element_size(header_.type));
    if (size() && (!is_in_order() || (bytes && !memory::is_large(*bytes)))) return *size();
    const std::size_t row = static_cast<std::size_t>(features()) * element_size(header_.type);
    const auto fit = static_cast<Index>(std::max(memory::room_for_data() / 4, memory::memory_limit() / 64) / row);
    return std::clamp<Index>(fit, 1, std::max(kNumbers / features(), 40 * features()));
  }

  std::unique_ptr<Samples> read(Index count, const std::stop_token& stop) override {
    if (size()) count = std::min(count, *size() - given_);
    const bool is_whole = given_ == 0 && count == size();
    if (count < 1 && !is_whole) {
      if (given_ == size()) require_end(descriptor_, header_, stop);
      return nullptr;
    }
    return memory::with_memory_errors(header_.name,
                                      [&] { return is_whole ? read_whole(stop) : read_some(count, stop); });
  }

 private:
  // Of the array's elements, which may be complex.
  [[nodiscard]] Index features() const { return in_rows_ ? header_.columns() : header_.rows(); }
  [[nodiscard]] bool is_in_order() const {
    return samples::lie_in_order(header_, in_rows_ ? Layout::kRows : Layout::kColumns);
  }
  [[nodiscard]] std::unique_ptr<Samples> samples_of(const Array& array) const {
    return in_rows_ ? samples_in_rows(array) : samples_in_columns(array);
  }

  std::unique_ptr<Samples> read_whole(const std::stop_token& stop) {
    Array array = header_;
    fill_whole(descriptor_, stop, &array);
    given_ = *size();
    return stop.stop_requested() ? nullptr : samples_of(array);
  }

  std::unique_ptr<Samples> read_some(Index count, const std::stop_token& stop) {
    if (!is_in_order()) {
      throw data_error(header_.name, "its samples aren't contiguous, so it must be read as a whole");
    }
    const std::size_t row = static_cast<std::size_t>(features()) * element_size(header_.type);
    const auto wanted = memory::array_bytes(std::array{count, features()}, element_size(header_.type));
    if (!wanted) throw data_error(header_.name, fmt::format("{} samples exceed the address space", count));
    Array array = header_;
    const std::size_t got = fill(descriptor_, *wanted, stop, &array);
    if (got < *wanted && (size() || got % row != 0)) wait_for_stop(stop);
    if (stop.stop_requested()) return nullptr;
    const std::size_t before = static_cast<std::size_t>(given_) * row;
    if (got < *wanted && size()) throw cut_off(header_, static_cast<std::size_t>(*size()) * row, before + got);
    if (got % row != 0) {
      throw data_error(header_.name,
                       fmt::format("{} bytes, which isn't a multiple of a sample of {} numbers of type {}",
                                   before + got, features(), to_string(header_.type)));
    }
    if (got == 0 && given_ == 0) throw data_error(header_.name, "has no samples");
    if (got == 0) return nullptr;
    if (given_ > 0) array.name += fmt::format(" from sample {} on", given_);
    (in_rows_ ? array.shape.front() : array.shape.back()) = static_cast<Index>(got / row);
    given_ += static_cast<Index>(got / row);
    return samples_of(array);
  }

  int descriptor_;
  Array header_;
  bool in_rows_;
  bool size_is_known_;
  Index given_ = 0;  // number of samples returned so far
};

}  // namespace

Array read_array(int descriptor, const std::string& name) {
  return memory::with_memory_errors(name, [&] {
    Array array = formats::read_npy_stream_header(descriptor, name);
    fill_whole(descriptor, {}, &array);
    return array;
  });
}

// When a stream is read in sections, each is returned as soon as it has arrived, the last one included. Excess data are
// an Error of the read() that would otherwise report the end.
std::unique_ptr<SampleStream> open_sample_stream(int descriptor, const std::string& name, Layout layout,
                                                 const std::stop_token& stop) {
  Array header = formats::read_npy_stream_header(descriptor, name, stop);
  return std::make_unique<PipedSamples>(descriptor, std::move(header), layout, true);
}

std::unique_ptr<SampleStream> open_raw_sample_stream(int descriptor, const std::string& name, ElementType type,
                                                     Index dimension) {
  if (dimension < 1) throw option_error("dimension", std::to_string(dimension), "1 or more");
  Array header;
  header.type = type;
  header.shape = {0, dimension};
  header.name = name;
  return std::make_unique<PipedSamples>(descriptor, std::move(header), Layout::kRows, false);
}

}  // namespace orthodict
