// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/collective.h"
#include "engine/moments.h"
#include "formats/npz.h"
#include "orthodict/fit.h"
#include "orthodict/types.h"

namespace orthodict::solver {

// A method that can be resumed: it saves where it is as arrays of a file, and goes on from there once it has loaded
// them.
class Resumable {
 public:
  Resumable() = default;
  Resumable(const Resumable&) = delete;
  Resumable& operator=(const Resumable&) = delete;
  virtual ~Resumable() = default;
  virtual void save(formats::NpzBuilder* file) const = 0;
  virtual void load(const formats::NpzFile& file) = 0;
};

// The file that a run writes from time to time, and the one that it resumes from: options, a hash of the samples, and
// where the method was.
class Checkpoint {
 public:
  // Does nothing where the options, which outlive it, name neither a checkpoint nor a file to resume from. Throws Error
  // when that file isn't a checkpoint. Of several ranks all read it and the first writes.
  Checkpoint(const Options& options, engine::Collective& collective);

  // To be called when the samples were measured and the summary says how they are learned from. Throws Error when the
  // file to resume from was made from other samples or with other options.
  void open(const Summary& summary, const Samples& samples, const engine::Moments& moments);
  [[nodiscard]] bool is_open() const { return !identity_.empty(); }

  // The file to resume from until the method has loaded it, then null.
  [[nodiscard]] const formats::NpzFile* resumed() const { return resumed_.get(); }
  // What `reader` makes of that file. An error on one rank is an error on all.
  void read(const std::function<void(const formats::NpzFile&)>& reader) const;
  // Throws Error on all ranks unless they read the same from it, of which this is a hash.
  void require_equal(std::uint64_t hash) const;

  // To be called before each pass over the samples. Loads the method if there is a file to resume from, or saves it if
  // checkpoint_every seconds have passed.
  void reach(Resumable* method);
  // Saves the method now, because the run ends early; does nothing before the method has been loaded. A checkpoint that
  // can't be written doesn't end the run: see failure().
  void save(const Resumable& method);

  // Why the last checkpoint couldn't be written; empty if it could.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  // A matrix of the file to resume from. Throws Error unless it has that size, and is finite.
  [[nodiscard]] Matrix<double> matrix(const formats::NpzFile& file, const std::string& name, Index rows,
                                      Index columns) const;
  // Throws Error if the run didn't come to where the checkpoint was made.
  void require_loaded() const;
  // Throws Error: the file to resume from isn't what it should be.
  [[noreturn]] void refuse(const std::string& what) const;
  // Throws Error: the file to resume from has gone further than this run may.
  [[noreturn]] void refuse_iterations(int most) const;

 private:
  using Clock = std::chrono::steady_clock;
  void compare_identity(const nlohmann::ordered_json& now) const;
  void write(const std::string& path, const Resumable& method) const;

  const Options& options_;
  engine::Collective& collective_;
  std::string identity_;  // of samples and options, as JSON
  std::unique_ptr<const formats::NpzFile> resumed_;
  Clock::time_point last_;  // when a checkpoint was made
  std::string failure_;
};

}  // namespace orthodict::solver
