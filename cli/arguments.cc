// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <optional>

#include "orthodict/complex.h"
#include "orthodict/error.h"

namespace orthodict::cli {
namespace {

constexpr Index kLongest = 1'000'000;

// The numbers separated by the letter x, if all are legal.
std::optional<std::vector<Index>> split(const std::string& text) {
  std::vector<Index> extents;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    Index extent = 0;
    const auto [next, status] = std::from_chars(at, end, extent);
    if (status != std::errc{} || extent < 1 || extent > kLongest) return std::nullopt;
    extents.push_back(extent);
    if (next == end) return extents;
    if (*next != 'x') return std::nullopt;
    at = next + 1;
  }
}

}  // namespace

std::vector<Index> parse_extents(const std::string& option, const std::string& text) {
  const auto extents = split(text);
  if (extents && is_picture(*extents)) return *extents;
  throw option_error(option, text,
                     fmt::format("HEIGHTxWIDTH, such as 8x8, or HEIGHTxWIDTHx3, each from 1 to {}", kLongest));
}

RawFormat parse_raw_format(const std::string& option, const std::string& text) {
  const std::size_t cross = text.find('x');
  const auto type = parse_element_type(text.substr(0, cross));
  Index dimension = 0;
  const char* end = text.data() + text.size();
  const char* number = cross == std::string::npos ? end : text.data() + cross + 1;
  const auto [rest, status] = std::from_chars(number, end, dimension);
  if (type && status == std::errc{} && rest == end && dimension >= 1) return {.type = *type, .dimension = dimension};
  throw option_error(option, text,
                     "TYPExFEATURES, such as f32x100; types are u8 to u64, i8 to i64, f16, f32, f64, c64 and c128");
}

PatchShape parse_patch_shape(const std::string& option, const std::string& text) {
  const auto extents = split(text);
  if (extents && extents->size() == 2) return {.height = (*extents)[0], .width = (*extents)[1]};
  throw option_error(option, text, fmt::format("HEIGHTxWIDTH, such as 8x8, each from 1 to {}", kLongest));
}

void require_image_name(const std::string& option, const std::string& path, const Image& image) {
  if (const std::string legal = check_image_name(path, image); !legal.empty()) throw option_error(option, path, legal);
}

Output output_at(const std::string& path) {
  return is_standard_stream(path) ? Output(STDOUT_FILENO, "standard output") : Output(path);
}

Array read_array_at(const std::string& path) {
  return is_standard_stream(path) ? read_array(STDIN_FILENO, kStandardInput) : read_array(path);
}

RowMatrix<double> dictionary_in(const Array& array, bool is_complex) {
  const RowMatrix<double> atoms = to_matrix(array);
  if (orthodict::is_complex(array.type) == is_complex) return atoms;
  if (is_complex) return as_real(atoms);
  throw data_error(array.name, "has complex atoms, but the samples are real");
}

std::unique_ptr<Samples> read_samples_at(const std::string& path, Layout layout) {
  if (!is_standard_stream(path)) return read_samples(path, layout);
  const Array array = read_array(STDIN_FILENO, kStandardInput);
  return layout == Layout::kRows ? samples_in_rows(array) : samples_in_columns(array);
}

}  // namespace orthodict::cli
