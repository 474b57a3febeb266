// SPDX-License-Identifier: Apache-2.0
#include "journal.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "orthodict/error.h"
#include "orthodict/io.h"

namespace orthodict::experiments {
namespace {

bool is_cell(const Row& entry) {
  return entry.is_object() && entry.contains("table") && entry["table"].is_string() && entry.contains("key") &&
         entry["key"].is_object() && entry.contains("rows") && entry["rows"].is_array() &&
         std::all_of(entry["rows"].begin(), entry["rows"].end(), [](const Row& row) { return row.is_object(); });
}

}  // namespace

Journal::Journal(std::string path, const Row& run) : path_(std::move(path)) {
  if (std::filesystem::exists(path_)) {
    read(run);
  } else {
    write_file(path_, run.dump() + "\n");
  }
  file_.open(path_, std::ios::app);
  if (!file_) throw data_error(path_, "can't be written");
}

void Journal::read(const Row& run) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) throw data_error(path_, "can't be read");
  std::string whole;  // complete and valid lines
  std::string line;
  while (std::getline(file, line) && !file.eof()) {
    const Row entry = Row::parse(line, nullptr, false);
    if (whole.empty()) {
      if (!(entry == run)) {  // invalid JSON equals nothing
        throw data_error(path_, "has the results of another run (" + line.substr(0, 200) +
                                    "): choose another --output, or --restart");
      }
    } else if (is_cell(entry)) {
      done_[id_of(entry["table"], entry["key"])] = entry["rows"].get<std::vector<Row>>();
    } else {
      throw data_error(path_, "isn't a journal of an experiment: choose another --output, or --restart");
    }
    whole += line + '\n';
  }
  if (whole.empty()) throw data_error(path_, "isn't a journal of an experiment: choose another --output, or --restart");
  write_file(path_, whole);
}

const std::vector<Row>* Journal::find(const Cell& cell) const {
  const auto found = done_.find(id_of(cell.table, cell.key));
  return found == done_.end() ? nullptr : &found->second;
}

void Journal::add(const Cell& cell, std::vector<Row> rows) {
  file_ << Row{{"table", cell.table}, {"key", cell.key}, {"rows", rows}}.dump() << '\n' << std::flush;
  if (!file_) throw data_error(path_, "can't be written: is the disk full?");
  done_[id_of(cell.table, cell.key)] = std::move(rows);
}

}  // namespace orthodict::experiments
