// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "orthodict/export.h"
#include "orthodict/model.h"

namespace orthodict {

// The names of a model's features, which are in its metadata: those of the columns of the table that it learned from.
// Empty if it has none.
[[nodiscard]] ORTHODICT_EXPORT std::vector<std::string> feature_names(const Model& model);
// Does nothing unless there are as many names as features.
ORTHODICT_EXPORT void name_features(const std::vector<std::string>& names, Model* model);
// Throws Error about `samples`, which have features of these names, unless they are those of the model, in the same
// order. Where either has no names, anything goes.
ORTHODICT_EXPORT void require_feature_names(const Model& model, const std::vector<std::string>& names,
                                            const std::string& samples);

}  // namespace orthodict
