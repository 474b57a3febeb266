// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data/npz.h"
#include "engine/collective.h"
#include "engine/moments.h"
#include "orthodict/fit.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// The matrices of a method, which a checkpoint holds as they are.
class Iterand {
 public:
  Iterand() = default;
  Iterand(const Iterand&) = delete;
  Iterand& operator=(const Iterand&) = delete;
  virtual ~Iterand() = default;
  virtual void save(data::NpzBuilder* file) const = 0;
  virtual void load(const data::NpzFile& file) = 0;
};

// What a run found out, in the order in which it did, and the checkpoints that are made of it.
//
// The course of a method depends on its data through few numbers: how far atoms moved, the mixture that was fitted,
// which pairs are tangled. These are noted. A run that is resumed goes through the same code again and recalls them
// instead of looking at the data, its matrices being whatever they are, until it comes to the pass before which the
// checkpoint was made: there the matrices are loaded, and everything is as it was.
class Journal {
 public:
  using Entry = Vector<double>;
  static constexpr Index kAnySize = -1;

  // Does nothing where the options, which outlive it, name neither a checkpoint nor a file to resume from. Throws Error
  // when that file isn't a checkpoint. Of several ranks all read it and the first writes.
  Journal(const Options& options, engine::Collective& collective);

  // To be called when the samples were measured and the summary says how they are learned from. Throws Error when the
  // file to resume from was made from other samples or with other options.
  void open(const Summary& summary, const Samples& samples, const engine::Moments& moments);

  // A place that the run has been to before.
  [[nodiscard]] bool is_replaying() const { return place_ < entries_.size(); }

  // What was noted here, or else what `find_out` gives. What is recalled must be of `size` numbers: otherwise the file
  // is damaged, which throws Error.
  [[nodiscard]] Entry recall(Index size, const std::function<Entry()>& find_out);
  void note(Entry entry);

  // The run is about to look at the data with these matrices: they are loaded if this is where the checkpoint was made,
  // or saved if it is time for one.
  void reach(Iterand* iterand);
  // Saved now: the run ends early. A checkpoint that can't be written is no reason to end a run: see failure().
  void save(const Iterand& iterand);

  // Why the last checkpoint couldn't be written; empty if it could.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  // A matrix of the file to resume from. Throws Error unless it has that size, and is finite.
  [[nodiscard]] Matrix<double> matrix(const data::NpzFile& file, const std::string& name, Index rows,
                                      Index columns) const;
  // Throws Error if the run didn't come to where the checkpoint was made.
  void require_loaded() const;
  // Throws Error: the file to resume from isn't what it should be.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  using Clock = std::chrono::steady_clock;
  void compare_identity(const nlohmann::ordered_json& now) const;
  void read_entries();
  void write(const std::string& path, const Iterand& iterand) const;

  const Options& options_;
  engine::Collective& collective_;
  std::string identity_;  // of samples and options, as JSON
  std::vector<Entry> entries_;
  std::size_t place_ = 0;                         // of the next one to be recalled
  std::unique_ptr<const data::NpzFile> resumed_;  // until its matrices are loaded
  Clock::time_point last_;                        // when a checkpoint was made
  std::string failure_;
};

}  // namespace orthodict::solver
