// SPDX-License-Identifier: Apache-2.0
#include "report/scan_file.h"

#include "files/mapped_file.h"
#include "orthodict/error.h"

namespace orthodict::report {
namespace {

constexpr const char* kColumns[] = {"atoms", "stable", "robust", "singles", "conserved"};
constexpr const char* kHeldOut = "held_out";

// The same from a parsed file; null if something is missing or of the wrong kind.
Json scan_of(const Json& scan) {
  Json shown = Json::object();
  for (const char* name : {"recommended", "optica"}) {
    if (!scan.is_object() || !scan.contains(name)) return nullptr;
    if (!scan[name].is_null() && !scan[name].is_number_integer()) return nullptr;
    shown[name] = scan[name];
  }
  for (const char* name : {"reason", "optica_reason"}) {
    if (!scan.contains(name) || !scan[name].is_string()) return nullptr;
    shown[name] = scan[name];
  }
  if (!scan.contains("numbers") || !scan["numbers"].is_array() || scan["numbers"].empty()) return nullptr;
  Json columns = Json::object();
  for (const Json& number : scan["numbers"]) {
    for (const char* name : kColumns) {
      if (!number.is_object() || !number.contains(name) || !number[name].is_number_integer()) return nullptr;
      columns[name].push_back(number[name]);
    }
    const bool has_held_out = number.contains(kHeldOut) && number[kHeldOut].is_number();
    columns[kHeldOut].push_back(has_held_out ? number[kHeldOut] : Json(nullptr));
  }
  shown["numbers"] = columns;
  return shown;
}

// JSON that is nested more deeply than a scan would be needs a deep stack to parse.
bool is_shallow(std::string_view text) {
  constexpr int kDeepest = 8;
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > kDeepest) return false;
  }
  return true;
}

}  // namespace

Json parse_scan(std::string_view text, const std::string& name) {
  const Json parsed = is_shallow(text) ? Json::parse(text, nullptr, /*allow_exceptions=*/false) : Json();
  Json scan = scan_of(parsed);
  if (scan.is_null()) throw data_error(name, "not the output of orthodict scan --json");
  return scan;
}

Json read_scan(const std::string& path) {
  const files::MappedFile file(path);
  return parse_scan({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path);
}

}  // namespace orthodict::report
