// SPDX-License-Identifier: Apache-2.0
// Parses arguments of the command line: sizes such as 8x8 and f32x100, and files, where - is standard input or output.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "orthodict/image.h"
#include "orthodict/io.h"
#include "orthodict/output.h"
#include "orthodict/patches.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict::cli {

// All of these throw Error that names `option`, the text and what is legal.

// The sizes in "8x12" or "8x12x3": height, width, and perhaps channels, 1 or 3.
[[nodiscard]] std::vector<Index> parse_extents(const std::string& option, const std::string& text);
// "8x12": height, then width.
[[nodiscard]] PatchShape parse_patch_shape(const std::string& option, const std::string& text);
// "f32x100": the type of numbers without a header, and how many a sample has.
struct RawFormat {
  ElementType type;
  Index dimension;
};
[[nodiscard]] RawFormat parse_raw_format(const std::string& option, const std::string& text);
// An image of that shape can be written under this name.
void require_image_name(const std::string& option, const std::string& path, const Image& image = {});

inline constexpr const char* kStandardInput = "standard input";
[[nodiscard]] inline bool is_standard_stream(const std::string& path) { return path == "-"; }
[[nodiscard]] Output output_at(const std::string& path);
[[nodiscard]] Array read_array_at(const std::string& path);
// Atoms in rows, for samples or a model that is complex or not. Real atoms are complex ones without imaginary parts;
// the other way round is an Error.
[[nodiscard]] RowMatrix<double> dictionary_in(const Array& array, bool is_complex);
[[nodiscard]] std::unique_ptr<Samples> read_samples_at(const std::string& path, Layout layout = Layout::kRows);

}  // namespace orthodict::cli
