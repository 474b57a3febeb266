// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "experiment.h"

namespace orthodict::experiments {

// The finished cells, in a file that survives interruption. The first line identifies the run; each further line has a
// cell's key and rows. An incomplete last line is ignored.
class Journal {
 public:
  // Reads the file if it exists. Throws Error if it belongs to another run (`run` differs) or isn't a journal.
  Journal(std::string path, const Row& run);

  // The rows of a finished cell, or null.
  [[nodiscard]] const std::vector<Row>* find(const Cell& cell) const;
  // Adds a finished cell; it is in the file on return. Throws Error if the file can't be written.
  void add(const Cell& cell, std::vector<Row> rows);

 private:
  static std::string id_of(const std::string& table, const Row& key) { return table + key.dump(); }
  void read(const Row& run);

  std::string path_;
  std::ofstream file_;
  std::map<std::string, std::vector<Row>> done_;
};

}  // namespace orthodict::experiments
