// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "data/npz.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/model.h"

namespace orthodict {
namespace {

Array member(const data::NpzFile& file, const std::string& path, const std::string& name) {
  if (!file.contains(name)) {
    throw data_error(
        path, fmt::format("no array \"{}\": not an orthodict model (dictionary, analysis, mean, metadata)", name));
  }
  return file.array(name);
}

void check(bool holds, const std::string& path, const std::string& what) {
  if (!holds) throw data_error(path, "damaged model: " + what);
}

}  // namespace

void save_model(const std::string& path, const Model& model) {
  data::NpzBuilder builder;
  builder.add("dictionary", model.dictionary);
  builder.add("analysis", model.analysis);
  builder.add("mean", model.mean);
  builder.add_text("metadata", model.metadata);
  write_file(path, builder.finish());
}

Model load_model(const std::string& path) {
  const data::NpzFile file(path);
  Model model;
  model.dictionary = to_matrix(member(file, path, "dictionary"));
  model.analysis = to_matrix(member(file, path, "analysis"));
  model.mean = to_matrix(member(file, path, "mean")).reshaped();
  model.metadata = file.contains("metadata") ? file.text("metadata") : "{}";

  const Index k = model.dictionary.rows();
  const Index n = model.dictionary.cols();
  check(k > 0 && n > 0, path, "the dictionary is empty");
  check(model.analysis.rows() == k && model.analysis.cols() == n, path,
        fmt::format("dictionary is {}×{}, analysis {}×{}", k, n, model.analysis.rows(), model.analysis.cols()));
  check(model.mean.size() == n, path,
        fmt::format("mean has {} entries, the dictionary {} columns", model.mean.size(), n));
  check(model.dictionary.allFinite() && model.analysis.allFinite() && model.mean.allFinite(), path,
        "some entries aren't finite");
  return model;
}

}  // namespace orthodict
