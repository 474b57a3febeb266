// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "formats/npz.h"
#include "model/per_atom.h"
#include "model/stable.h"
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

Model read_model(const formats::NpzFile& file, const std::string& name) {
  Model model;
  model.dictionary = to_matrix(member(file, name, "dictionary"));
  if (model.atoms() <= model.dimension() || file.contains("analysis")) {
    model.analysis = to_matrix(member(file, name, "analysis"));
  }
  model.mean = to_matrix(member(file, name, "mean")).reshaped();
  for (const PerAtom& of_atoms : kPerAtom) {
    const std::string array(of_atoms.name);
    if (file.contains(array)) model.*of_atoms.values = to_matrix(file.array(array)).reshaped();
  }
  if (file.contains("coder")) model.coder = file.text("coder");
  model.metadata = file.contains("metadata") ? file.text("metadata") : "{}";
  model.validate(name);
  return model;
}

}  // namespace

void Model::require_shapes(const std::string& name) const {
  const auto check = [&name](bool holds, const std::string& what) {
    if (!holds) throw data_error(name, "damaged model: " + what);
  };
  const Index k = atoms();
  const Index n = dimension();
  check(k > 0 && n > 0, "the dictionary is empty");
  const bool may_lack_analysis = k > n && analysis.size() == 0;
  check(may_lack_analysis || (analysis.rows() == k && analysis.cols() == n),
        fmt::format("dictionary is {}×{}, analysis {}×{}", k, n, analysis.rows(), analysis.cols()));
  check(mean.size() == n, fmt::format("mean has {} entries, the dictionary {} columns", mean.size(), n));
  for (const PerAtom& of_atoms : kPerAtom) {
    const Index entries = (this->*of_atoms.values).size();
    check(entries == 0 || entries == k,
          fmt::format("{} has {} entries, the dictionary {} rows", of_atoms.name, entries, k));
  }
  if (coder.empty()) return;
  try {
    parse_coder("coder", coder).validate(k);
  } catch (const Error& error) {
    check(false, error.what());
  }
}

void Model::validate(const std::string& name) const {
  require_shapes(name);
  const bool are_finite = std::all_of(kPerAtom.begin(), kPerAtom.end(),
                                      [this](const PerAtom& of_atoms) { return (this->*of_atoms.values).allFinite(); });
  if (!are_finite || !dictionary.allFinite() || !analysis.allFinite() || !mean.allFinite()) {
    throw data_error(name, "damaged model: some entries aren't finite");
  }
}

std::vector<bool> stable_atoms(const Model& model) {
  std::vector<bool> stable(static_cast<std::size_t>(model.stability.size()));
  const bool has_choices = model.resampled_stability.size() > 0;
  for (std::size_t i = 0; i < stable.size(); ++i) {
    const auto at = static_cast<Index>(i);
    stable[i] = model.stability[at] >= kStable && model.found[at] >= kFound &&
                (!has_choices || (model.resampled_stability[at] >= kStable && model.resampled_found[at] >= kFound));
  }
  return stable;
}

std::string model_to_bytes(const Model& model) {
  model.validate("model");
  formats::NpzBuilder builder;
  builder.add("dictionary", model.dictionary);
  if (model.analysis.size() > 0) builder.add("analysis", model.analysis);
  builder.add("mean", model.mean);
  for (const PerAtom& of_atoms : kPerAtom) {
    const Vector<double>& values = model.*of_atoms.values;
    if (values.size() > 0) builder.add(std::string(of_atoms.name), values);
  }
  if (!model.coder.empty()) builder.add_text("coder", model.coder);
  builder.add_text("metadata", model.metadata);
  return builder.finish();
}

Model model_from_bytes(std::string_view bytes, const std::string& name) {
  return read_model(formats::NpzFile(std::as_bytes(std::span(bytes)), name), name);
}

void save_model(const Output& output, const Model& model) { write_file(output, model_to_bytes(model)); }

Model load_model(const std::string& path) { return read_model(formats::NpzFile(path), path); }

}  // namespace orthodict
