// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "images/denoising/rows.h"
#include "orthodict/image.h"
#include "orthodict/types.h"

namespace orthodict::images {

// Throws Error, naming `name`, unless the image is valid and all its values are finite.
void require_finite(const Image& image, const std::string& name);

// The planes of an image are its channels after an orthonormal rotation, which keeps white noise white. Colour gives
// brightness, red against blue, and green against both, which are nearly uncorrelated in photographs (the cosine
// transform of three points). A grey image is its own plane.
[[nodiscard]] RowMatrix<float> plane_rotation(Index channels);
// One plane, as a grey image.
[[nodiscard]] Image plane_of(const Image& image, Index plane);
// Rows [first, last) of all planes, and the inverse.
[[nodiscard]] std::vector<Plane> split_rows(const Image& image, Index first, Index last);
void join_rows(const std::vector<Plane>& planes, Index first, Image* image);

// Combines the orthogonal dictionaries of the planes' patches into that of the image's patches, with channels varying
// fastest. The first atom of each plane must be constant. The constant atoms of all planes come first, then the other
// atoms, plane by plane.
[[nodiscard]] RowMatrix<double> join_atoms(const std::vector<RowMatrix<double>>& planes);
// The inverse, for patches of `channels` channels. Rounding errors remain if the atoms aren't of this form.
[[nodiscard]] std::vector<RowMatrix<double>> split_atoms(const RowMatrix<double>& atoms, Index channels);

}  // namespace orthodict::images
