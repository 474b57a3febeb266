// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "orthodict/image.h"
#include "orthodict/types.h"

namespace orthodict::images {

// Throws Error, naming `name`, unless the image is valid and all its values are finite.
void require_finite(const Image& image, const std::string& name);

// One channel of an image, as a grey image.
[[nodiscard]] Image channel_of(const Image& image, Index channel);

// Splits an image into grey planes, by an orthonormal rotation that keeps white noise white, with the same deviation. A
// grey image is its own plane. Colour gives brightness, red against blue, and green against both, which are nearly
// uncorrelated in photographs (the cosine transform of three points). join_planes() is the inverse.
[[nodiscard]] std::vector<Image> split_planes(const Image& image);
[[nodiscard]] Image join_planes(const std::vector<Image>& planes);

// Combines the orthogonal dictionaries of the planes' patches into that of the image's patches, with channels varying
// fastest. The first atom of each plane must be constant. The constant atoms of all planes come first, then the other
// atoms, plane by plane.
[[nodiscard]] RowMatrix<double> join_atoms(const std::vector<RowMatrix<double>>& planes);

}  // namespace orthodict::images
