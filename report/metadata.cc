// SPDX-License-Identifier: Apache-2.0
#include "report/metadata.h"

#include <algorithm>

namespace orthodict::report {
namespace {

// The entry, or null if there is none. Returns a reference because metadata may be nested too deeply for a recursive
// copy.
const Json& entry_of(const Json& object, const std::string& key) {
  static const Json kNull;
  return object.is_object() && object.contains(key) ? object.at(key) : kNull;
}

// The entries of an object, except nested objects and arrays.
Json plain_entries(const Json& object) {
  Json plain = Json::object();
  if (!object.is_object()) return plain;
  for (const auto& [key, value] : object.items()) {
    if (value.is_primitive()) plain[key] = value;
  }
  return plain;
}

bool is_column(const Json& column, std::size_t size, bool (*fits)(const Json&)) {
  return column.is_array() && column.size() == size && std::all_of(column.begin(), column.end(), fits);
}

bool is_text(const Json& value) { return value.is_string(); }
bool is_number_or_null(const Json& value) { return value.is_number() || value.is_null(); }

}  // namespace

Json readable_metadata(const Json& metadata) {
  const Json& version = entry_of(metadata, "version");
  const Json& asked = entry_of(metadata, "options");
  Json options = plain_entries(asked);
  options.update(plain_entries(entry_of(asked, "parameters")));
  return {{"version", version.is_string() ? version : Json(nullptr)},
          {"options", options},
          {"summary", plain_entries(entry_of(metadata, "summary"))}};
}

Json history_of(const Json& metadata) {
  const Json& history = entry_of(metadata, "history");
  const Json& stages = entry_of(history, "stage");
  if (!is_column(stages, stages.size(), is_text) || stages.empty()) return nullptr;
  Json columns = {{"stage", stages}};
  for (const char* name : {"objective", "step", "samples"}) {
    const Json& column = entry_of(history, name);
    if (!is_column(column, stages.size(), is_number_or_null)) return nullptr;
    columns[name] = column;
  }
  return columns;
}

}  // namespace orthodict::report
