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

// A method that can be resumed: its state can be saved to and loaded from arrays of a file.
class Resumable {
 public:
  Resumable() = default;
  Resumable(const Resumable&) = delete;
  Resumable& operator=(const Resumable&) = delete;
  virtual ~Resumable() = default;
  virtual void save(formats::NpzBuilder* file) const = 0;
  virtual void load(const formats::NpzFile& file) = 0;
};

// The checkpoint that a run writes from time to time, and the one that it resumes from: the identity of options and
// samples, and the state of the method.
class Checkpoint {
 public:
  // Does nothing unless the options name a checkpoint or a file to resume from. `options` must outlive the object.
  // Throws Error if the file to resume from isn't a checkpoint. All ranks read it; only rank 0 writes.
  Checkpoint(const Options& options, engine::Collective& collective);

  // Must be called once the samples are measured and the summary contains all decisions. Throws Error if the file to
  // resume from was made with other samples or options.
  void open(const Summary& summary, const Samples& samples, const engine::Moments& moments);
  [[nodiscard]] bool is_open() const { return !identity_.empty(); }

  // The file to resume from; null if there is none or the method has been loaded from it.
  [[nodiscard]] const formats::NpzFile* resumed() const { return resumed_.get(); }
  // Calls `reader` with that file. An error on one rank is an error on all.
  void read(const std::function<void(const formats::NpzFile&)>& reader) const;
  // Throws Error on all ranks unless `hash`, of what they read from the file, is the same on all.
  void require_equal(std::uint64_t hash) const;

  // Must be called before each pass over the samples: loads the method if there is a file to resume from, otherwise
  // saves it if a checkpoint is due.
  void reach(Resumable* method);
  // Saves the method immediately, because the run ends early. Does nothing before the method has been loaded. Failure
  // to write a checkpoint doesn't end a run: see failure().
  void save(const Resumable& method);

  // The error of the last attempt to write a checkpoint; empty if it succeeded.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  // Reads a matrix from the file to resume from. Throws Error unless it has this size and is finite.
  [[nodiscard]] Matrix<double> matrix(const formats::NpzFile& file, const std::string& name, Index rows,
                                      Index columns) const;
  // Throws Error if the run hasn't reached the point where the checkpoint was made.
  void require_loaded() const;
  // Throws Error about the file to resume from.
  [[noreturn]] void refuse(const std::string& what) const;
  // Throws Error: the checkpoint has more iterations than this run allows.
  [[noreturn]] void refuse_iterations(int most) const;

 private:
  using Clock = std::chrono::steady_clock;
  void compare_identity(const nlohmann::ordered_json& now) const;
  void write(const std::string& path, const Resumable& method) const;

  const Options& options_;
  engine::Collective& collective_;
  std::string identity_;  // identity of samples and options, as JSON
  std::unique_ptr<const formats::NpzFile> resumed_;
  Clock::time_point last_;  // time of the last checkpoint
  std::string failure_;
};

}  // namespace orthodict::solver
