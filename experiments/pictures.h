// SPDX-License-Identifier: Apache-2.0
// What the experiments on pictures share: the data sets, and how well few atoms rebuild a picture.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "orthodict/orthodict.h"

namespace orthodict::experiments {

// The pictures, 28×28 bytes each, of FOLDER/SET/FILE. Throws Error that says how to get them where they aren't there.
[[nodiscard]] Array read_pictures(const std::string& folder, const std::string& set, const std::string& file);

// The first ones as samples, or all if there aren't as many.
[[nodiscard]] std::unique_ptr<Samples> first_of(const Array& pictures, Index count);

// Writes the first ones to a file, a picture in a row.
void write_first(const std::string& path, Array pictures, Index count);

// Which coefficients a picture is rebuilt from: the largest of each picture, or the leading ones, those of the atoms of
// most energy, for all.
enum class Choice { kLargest, kLeading };

// Mean squared error per pixel, pixels from 0 to 255, of pictures rebuilt from k atoms, for each k of `counts`, which
// rises. The dictionary need not be orthogonal; a k beyond its atoms takes all of them.
[[nodiscard]] std::vector<double> mean_squared_errors(const Model& model, const Samples& pictures,
                                                      std::span<const Index> counts, Choice choice);

// Pictures rebuilt from k atoms each, a picture in a row.
[[nodiscard]] RowMatrix<double> rebuild(const Model& model, const Samples& pictures, Index k, Choice choice);

}  // namespace orthodict::experiments
