// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "experiment.h"

namespace orthodict::experiments {

// The cells that are done, in a file that survives interruption: a first line says which run it belongs to, and each
// further one holds a cell's key and its lines. A last line that was cut short is as if it had never been written.
class Journal {
 public:
  // Reads what is there. Throws Error when the file belongs to another run (`run` differs) or isn't a journal.
  Journal(std::string path, const Row& run);

  // The lines of a cell that is done; null when it isn't.
  [[nodiscard]] const std::vector<Row>* find(const Cell& cell) const;
  // Notes a cell as done; it is in the file when this returns. Throws Error when the file can't be written.
  void add(const Cell& cell, std::vector<Row> rows);

 private:
  static std::string id_of(const std::string& table, const Row& key) { return table + key.dump(); }
  void read(const Row& run);

  std::string path_;
  std::ofstream file_;
  std::map<std::string, std::vector<Row>> done_;
};

}  // namespace orthodict::experiments
