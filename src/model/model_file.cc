// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "formats/npz.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/model.h"

namespace orthodict {
namespace {

Array member(const formats::NpzFile& file, const std::string& path, const std::string& name) {
  if (!file.contains(name)) {
    throw data_error(
        path, fmt::format("no array \"{}\": not an orthodict model (dictionary, analysis, mean, metadata)", name));
  }
  return file.array(name);
}

}  // namespace

void Model::require_shapes(const std::string& name) const {
  const auto check = [&name](bool holds, const std::string& what) {
    if (!holds) throw data_error(name, "damaged model: " + what);
  };
  const Index k = atoms();
  const Index n = dimension();
  check(k > 0 && n > 0, "the dictionary is empty");
  check(analysis.rows() == k && analysis.cols() == n,
        fmt::format("dictionary is {}×{}, analysis {}×{}", k, n, analysis.rows(), analysis.cols()));
  check(mean.size() == n, fmt::format("mean has {} entries, the dictionary {} columns", mean.size(), n));
  check(confidence.size() == 0 || confidence.size() == k,
        fmt::format("confidence has {} entries, the dictionary {} rows", confidence.size(), k));
}

void Model::validate(const std::string& name) const {
  require_shapes(name);
  if (!confidence.allFinite() || !dictionary.allFinite() || !analysis.allFinite() || !mean.allFinite()) {
    throw data_error(name, "damaged model: some entries aren't finite");
  }
}

void save_model(const std::string& path, const Model& model) {
  model.validate("model");
  formats::NpzBuilder builder;
  builder.add("dictionary", model.dictionary);
  builder.add("analysis", model.analysis);
  builder.add("mean", model.mean);
  if (model.confidence.size() > 0) builder.add("confidence", model.confidence);
  builder.add_text("metadata", model.metadata);
  write_file(path, builder.finish());
}

Model load_model(const std::string& path) {
  const formats::NpzFile file(path);
  Model model;
  model.dictionary = to_matrix(member(file, path, "dictionary"));
  model.analysis = to_matrix(member(file, path, "analysis"));
  model.mean = to_matrix(member(file, path, "mean")).reshaped();
  if (file.contains("confidence")) model.confidence = to_matrix(file.array("confidence")).reshaped();
  model.metadata = file.contains("metadata") ? file.text("metadata") : "{}";

  model.validate(path);
  return model;
}

}  // namespace orthodict
