// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "orthodict/types.h"
#include "solver/checkpoint.h"

namespace orthodict::solver {

// The results that a run of method auto obtained from its data, in order.
//
// The course of the method depends on the data only through a few numbers: how far atoms moved, the fitted mixture,
// which pairs are tangled. The journal notes these. A resumed run executes the same code, and recalls the noted results
// instead of reading the data, with arbitrary matrices, up to the pass at which the checkpoint was written. There the
// matrices are loaded, and the state is the same as in the original run.
class Journal {
 public:
  using Entry = Vector<double>;

  // The checkpoint must be open and outlive the journal. Throws Error if the file to resume from is damaged.
  explicit Journal(Checkpoint& checkpoint);

  // Whether the run is still replaying noted results.
  [[nodiscard]] bool is_replaying() const { return place_ < entries_.size(); }
  // The next noted result, or nothing if the run has not been here before.
  [[nodiscard]] std::optional<Entry> recall();
  void note(Entry entry);

  // As in Checkpoint, including the entries.
  void reach(Resumable* matrices);
  void save(Resumable* matrices);

  // Throws Error about the checkpoint file.
  [[noreturn]] void refuse(const std::string& what) const { checkpoint_.refuse(what); }
  [[nodiscard]] const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  void read(const formats::NpzFile& file);

  Checkpoint& checkpoint_;
  std::vector<Entry> entries_;
  std::size_t place_ = 0;  // index of the next entry to recall
};

}  // namespace orthodict::solver
