// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "orthodict/image.h"
#include "orthodict/types.h"

namespace orthodict::images {

// Throws Error, naming `name`, unless the image is one and all its values are finite.
void require_finite(const Image& image, const std::string& name);

// One channel of an image, as a grey image.
[[nodiscard]] Image channel_of(const Image& image, Index channel);

// An image as grey ones in which white noise stays white with the same deviation: itself when it is grey; of colour
// brightness, red against blue, and green against both, which are nearly uncorrelated in photographs (the cosine
// transform of three points). join_planes() is the inverse.
[[nodiscard]] std::vector<Image> split_planes(const Image& image);
[[nodiscard]] Image join_planes(const std::vector<Image>& planes);

// The orthogonal dictionary of an image's patches, channels fastest, from those of its planes' patches, whose first
// atom is constant: the constant atoms come first, then those of one plane after the other.
[[nodiscard]] RowMatrix<double> join_atoms(const std::vector<RowMatrix<double>>& planes);

}  // namespace orthodict::images
