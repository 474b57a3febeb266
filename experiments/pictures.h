// SPDX-License-Identifier: Apache-2.0
// Shared by the experiments on pictures: the data sets, and the quality of reconstructions from few atoms.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orthodict/orthodict.h"

namespace orthodict::experiments {

// Reads the pictures, 28×28 bytes each, from FOLDER/SET/FILE. Throws Error with instructions if the file is missing.
[[nodiscard]] Array read_pictures(const std::string& folder, const std::string& set, const std::string& file);

// The first `count` pictures as samples, or all if there are fewer.
[[nodiscard]] std::unique_ptr<Samples> first_of(const Array& pictures, Index count);

// Writes the first `count` pictures to a file, one per row.
void write_first(const std::string& path, Array pictures, Index count);

// The coefficients from which a picture is reconstructed: the largest ones of each picture, or the leading ones, those
// of the atoms with the most energy, for all pictures.
enum class Choice { kLargest, kLeading };

// The mean squared error per pixel, for pixels from 0 to 255, of pictures reconstructed from k atoms, for each k of
// `counts`, in ascending order. The dictionary need not be orthogonal; a k beyond the number of atoms means all of
// them.
[[nodiscard]] std::vector<double> mean_squared_errors(const Model& model, const Samples& pictures,
                                                      std::span<const Index> counts, Choice choice);

// Pictures reconstructed from k atoms each, one per row.
[[nodiscard]] RowMatrix<double> rebuild(const Model& model, const Samples& pictures, Index k, Choice choice);

}  // namespace orthodict::experiments
