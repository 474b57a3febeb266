// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw.h"
#include "orthodict/orthodict.h"

namespace orthodict::soak {

// How samples are passed to the library.
enum class Form {
  kColumns,  // memory, contiguous samples, perhaps with gaps
  kStrided,  // memory, any strides
  kArray,    // an array of any order and byte order, samples in rows or columns
  kJoined,   // two of the first
  kOwn,      // a class derived from Samples by the caller
  kPatches,  // of a picture in memory
  kNpy,      // the kinds below are files
  kCsv,
  kRaw,
  kSparse,
  kPicture,
  kForeign,  // HDF5, MATLAB, IDX
};
[[nodiscard]] inline bool is_file(Form form) { return form >= Form::kNpy; }

// Unusual but legal properties of samples.
enum class Trait {
  kNone,
  kOffset,
  kUnits,
  kConstantFeature,
  kDuplicateFeature,
  kLowRank,
  kFewSamples,
  kRepeatedSamples,
  kGaussian,
};

// Faults that a plan contains.
enum class Trouble {
  kNone,
  // The data.
  kNan,
  kInfinity,
  kOverflow,
  kZeros,
  kNoSamples,
  // The options.
  kBadOption,
  // The caller.
  kCallbackThrows,
  kCallbackStops,
  kStoppedBefore,
  kTimeIsUp,
  kSamplesThrow,
  // Files.
  kMissing,
  kTruncated,
  kEmpty,
  kGarbage,
  kFolder,
  kReplaced,
  // Checkpoints.
  kCheckpointNowhere,
  kCheckpointFull,
  kInterrupted,
  kResumeDamaged,
  kResumeOther,
};
[[nodiscard]] std::string name_of(Form form);
[[nodiscard]] std::string name_of(Trait trait);
[[nodiscard]] std::string name_of(Trouble trouble);

// The legal outcomes of a fit.
struct Expectation {
  bool summary = true;
  bool stopped = false;                  // Fault::kStopped
  bool own = false;                      // an exception of the caller's own
  std::vector<std::string> option = {};  // Fault::kOption with a message that begins with one of these
  std::vector<std::string> data = {};    // Fault::kData with a message that contains one of these
};

// A fit, as drawn.
struct Plan {
  std::uint64_t number = 0;
  Form form = Form::kColumns;
  Trait trait = Trait::kNone;
  Trouble trouble = Trouble::kNone;
  ElementType type = ElementType::kF64;
  Matrix<double> y;  // n×p, before rounding to the type; only the shape for pictures and foreign files
  Image picture;
  PatchOptions cut;
  std::string foreign;  // a file of tests/data, perhaps with a member
  Options options;
  Expectation expected;
  Draw details{0, 0};  // for decisions during execution

  [[nodiscard]] std::string describe() const;
};

// Thrown by our callbacks and samples, or an Error with this message. The library must propagate it.
struct Own {};
constexpr const char* kOwnMessage = "an error of the caller's own";

[[nodiscard]] Plan make_plan(std::uint64_t seed, std::uint64_t number);

// The steps of make_plan().
void draw_samples(Plan* plan, Draw* draw);
void draw_options(Plan* plan, Draw* draw);
void make_trouble(Plan* plan, Draw* draw);

}  // namespace orthodict::soak
