// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "orthodict/types.h"
#include "solver/checkpoint.h"

namespace orthodict::solver {

// What a run of method auto found out, in the order in which it did.
//
// The course of the method depends on its data through few numbers: how far atoms moved, the mixture that was fitted,
// which pairs are tangled. These are noted. A run that is resumed goes through the same code again and recalls them
// instead of looking at the data, its matrices being whatever they are, until it comes to the pass before which the
// checkpoint was made: there the matrices are loaded, and everything is as it was.
class Journal {
 public:
  using Entry = Vector<double>;

  // The checkpoint is open, and outlives the journal. Throws Error where what it is resumed from is damaged.
  explicit Journal(Checkpoint& checkpoint);

  // A place that the run has been to before.
  [[nodiscard]] bool is_replaying() const { return place_ < entries_.size(); }
  // What was noted here; nothing where the run hasn't been before.
  [[nodiscard]] std::optional<Entry> recall();
  void note(Entry entry);

  // As Checkpoint has them, with the entries.
  void reach(Resumable* matrices);
  void save(Resumable* matrices);

  // Throws Error: the file to resume from isn't what it should be.
  [[noreturn]] void refuse(const std::string& what) const { checkpoint_.refuse(what); }
  [[nodiscard]] const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  void read(const formats::NpzFile& file);

  Checkpoint& checkpoint_;
  std::vector<Entry> entries_;
  std::size_t place_ = 0;  // of the next one to be recalled
};

}  // namespace orthodict::solver
