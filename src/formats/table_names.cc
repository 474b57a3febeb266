// SPDX-License-Identifier: Apache-2.0
#include "files/input_file.h"
#include "formats/csv.h"
#include "orthodict/table.h"
#include "text/suffix.h"

namespace orthodict {

TableNames read_table_names(const std::string& path) {
  for (const char* suffix : {".csv", ".tsv", ".txt"}) {
    if (text::has_suffix(path, suffix)) return formats::read_csv_names(files::InputFile(path));
  }
  return {};
}

}  // namespace orthodict
