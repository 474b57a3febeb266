// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "orthodict/atoms.h"
#include "orthodict/export.h"
#include "orthodict/model.h"
#include "orthodict/names.h"
#include "orthodict/ranks.h"
#include "orthodict/samples.h"
#include "orthodict/stretch.h"
#include "orthodict/types.h"

namespace orthodict {

enum class Method { kAuto, kMsp };
enum class Dictionary { kAuto, kComplete, kOrthogonal, kOvercomplete };
enum class Whitening { kNone, kZca, kPca };
enum class Normalization { kNone, kSamples, kAuto };
enum class Precision { kF32, kF64, kMixed };
enum class Initialization { kRandom, kIdentity, kGiven };
enum class Termination { kConverged, kMaxIterations, kTimeLimit, kStopped, kNotEstablished };
enum class Stage { kMsp, kExplore, kRefine, kFinish, kBaseline };

template <>
ORTHODICT_EXPORT std::span<const Named<Method>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Dictionary>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Whitening>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Normalization>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Precision>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Initialization>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Termination>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Stage>> names_of();

// One line of a run's history. Iteration 0 is the start.
struct IterationRecord {
  int iteration = 0;
  double objective = 0;        // Σφ(A_t Y), over the samples of this iteration and with the φ of its stage
  std::optional<double> step;  // how far A_t is from A_{t−1}, as Options::tolerance measures it; unset at a start
  double seconds = 0;          // since fit() was called
  Stage stage = Stage::kMsp;
  Index samples = 0;  // that the iteration looked at, those it looked at twice counted twice
};

// What a callback sees after each iteration.
class ORTHODICT_EXPORT Iterate {
 public:
  Iterate(const IterationRecord& record, const std::function<Model()>& model) : record_(record), model_(model) {}
  Iterate(const Iterate&) = delete;
  Iterate& operator=(const Iterate&) = delete;
  [[nodiscard]] const IterationRecord& record() const { return record_; }
  // The model as it would be if the run ended here. Costs a few products of k×n matrices.
  [[nodiscard]] Model model() const { return model_(); }

 private:
  const IterationRecord& record_;
  const std::function<Model()>& model_;
};

// What to do. The defaults need no knowledge of the data; method kMsp, or naming a stretch, gives the paper's
// algorithms.
struct ORTHODICT_EXPORT Options {
  // kAuto: explore a random part of the samples with a shrinkage stretch, refine with the posterior mean of a fitted
  // mixture, finish with falling thresholds where the samples turn out to be exactly sparse (docs/auto.md).
  // kMsp: match, stretch, project with one stretch from one start. kAuto with a stretch that is named is kMsp.
  Method method = Method::kAuto;

  // φ, by the names of make_stretch(). A stretch of your own goes into custom_stretch and then replaces it.
  // Unset: l4, the paper's Algorithm 2, where the method is msp.
  std::optional<std::string> stretch = {};
  std::shared_ptr<const Stretch> custom_stretch = {};

  // Two different questions. kComplete: recover the sources, whatever invertible matrix mixed them; the samples are
  // whitened. kOrthogonal: sparsify the samples as they are in an orthonormal basis. kAuto: orthogonal where `whiten`
  // says none; else for method auto where the covariance is a multiple of the identity within sampling error, and for
  // msp, as in the paper, where `whiten` is unset. kOvercomplete, for method auto: more atoms than dimensions, as many
  // as the samples show (docs/overcomplete.md); kAuto with more `atoms` than features is that.
  Dictionary dictionary = Dictionary::kAuto;

  // For msp only, like theta, bias_fraction and step below.
  // Subtract the part of the step that points along A itself, mean(φ''(a_i Y))·p·A·Cov(Y) row by row: fewer iterations,
  // at the price of a smaller basin near the edge of the working range. Needs a smooth stretch.
  // Unset: on for logcosh, which without it would look for the least sparse directions; off for all others.
  std::optional<bool> remove_bias = {};

  // The sparsity of the coefficients, if it is known: 0 < theta ≤ 1. With remove_bias and ℓ4 the bias is then exactly
  // the paper's 12pθ²A instead of the estimate; with whitening the scale is the paper's ((1/pθ)YYᵀ)^(−1/2).
  std::optional<double> theta = {};

  // How much of the bias is removed, 0 < bias_fraction ≤ 1: the paper's α is bias_fraction·12pθ².
  double bias_fraction = 1;

  // The paper's Algorithm 3: A ← polar(A + step·∇Σφ(AY)), step > 0. Infinity is match, stretch, project itself.
  double step = std::numeric_limits<double>::infinity();

  // Whiten the samples, for dictionaries that aren't orthogonal. Folded into the step: no whitened copy is made.
  // Unset: as the dictionary demands, none when it is orthogonal and zca when it is complete.
  std::optional<Whitening> whiten = {};

  // Subtract the mean of the samples, likewise folded in. Unset: off for msp and where an orthogonal dictionary was
  // asked for; else on where the mean differs from zero by more than sampling error. Method auto goes on from the mean
  // to the point where the coefficients' peak is at zero, which for skewed coefficients isn't the same. Off for an
  // overcomplete dictionary.
  std::optional<bool> center = {};

  // Learn from samples at unit length, after the mean was subtracted: for samples that differ in contrast, such as
  // patches of pictures, where the large ones would decide alone. Only learning is affected, not codes or scores.
  // kAuto, for method auto only: both ways, and the one whose atoms have more confidence is kept, which takes up to
  // three times as long; samples that are exactly sparse as they are stay so.
  Normalization normalize = Normalization::kNone;

  // How many atoms to learn: k of 1 … rank of the data, or the share of the variance that they are to hold, in (0, 1).
  // Unset: all, that is n without whitening and the rank with it.
  // With whitening they are learned in the k leading principal components of the covariance, in the units of the data;
  // a share is the least k that holds as much. Without whitening, where the dictionary is orthogonal, msp learns k
  // atoms, and method auto, as both do for a share, learns all and keeps those of most energy. Of an overcomplete
  // dictionary the most atoms that it may have; a share isn't legal there.
  std::optional<Atoms> atoms = {};

  // Arithmetic of the passes over the data and of the projection. Unset: mixed where it loses nothing, that is where
  // single precision holds the samples (u8, i16, f32 …) and the tolerance is above its rounding noise; f64 otherwise.
  // Mixed that is asked for is f64 where single precision can't resolve the samples (docs/architecture.md).
  // Method auto, when unset or mixed, explores in f32 and finishes in f64.
  std::optional<Precision> precision = {};

  // Stop when iteration = max_iterations ≥ 0. Unset: 500 for msp; method auto has limits for each stage.
  std::optional<int> max_iterations = {};

  // Stop when (Σ_i min(‖a_i' − a_i‖², ‖a_i' + a_i‖²) / k)^½ ≤ tolerance for the rows a_i of A before and a_i' after a
  // step; tolerance ≥ 0. What is below rounding noise is taken as that noise: (1 + |mean|/rms) times 8ε√n in f64 and
  // f32, and 4ε of single precision in mixed. Exactly sparse samples are taken to 1e-9 by method auto, or to tolerance
  // if that is less; otherwise its last steps are measured by the atoms that are established, if any are.
  // Unset: 1e-6 for msp, 1e-4 for method auto.
  std::optional<double> tolerance = {};

  // Stop at the first iteration after so many seconds; > 0.
  std::optional<double> time_limit = {};

  // Seed of the random start, and of the samples that are explored. Every integer is just a seed.
  std::uint64_t seed = 0;

  // Threads to use, 1 … 4096; a pass has work for 64 or more, and BLAS room for 120. Unset: as many as the machine has.
  // The result doesn't depend on it.
  std::optional<int> threads = {};

  // Processes to learn with. Unset: this one alone. The result doesn't depend on them. All get the same options, except
  // for threads, callback and stop: where one of these stops the run it ends on all. All read `resume`, and rank 0
  // writes checkpoints. Whatever is wrong with the samples or options of one is an Error on all.
  std::shared_ptr<Ranks> ranks = {};

  // A file (.npz) that is brought up to date every checkpoint_every ≥ 0 seconds, and when the run ends early, so that a
  // run which was killed can be resumed. Empty: none, or `resume`. One that can't be written doesn't end the run: see
  // Summary::checkpoint_error.
  std::string checkpoint = {};
  double checkpoint_every = 60;

  // A checkpoint to go on from: the result is that of the run it was made in, to the bit. Samples and options must be
  // the same, which is checked; only max_iterations, time_limit, threads and ranks may differ. Empty: from the start.
  std::string resume = {};

  // Where A starts. kGiven takes initial_dictionary: atoms in rows (k×n), in the coordinates of the data. Unset: kGiven
  // if there is an initial_dictionary, else kRandom.
  std::optional<Initialization> init = {};
  RowMatrix<double> initial_dictionary = {};

  // Called after each iteration in the calling thread; returning true stops the run.
  std::function<bool(const Iterate&)> callback = {};

  // Polled within a pass too: a run stops soon after a stop is requested, and returns the last completed iterate; while
  // method auto explores, the best one that was judged, if any was.
  std::stop_token stop = {};

  // Throws Error that names the first option that isn't legal, its value and what is legal.
  void validate() const;
};

// What happened.
struct ORTHODICT_EXPORT Summary {
  Termination termination = Termination::kMaxIterations;
  std::string message;  // one sentence for people
  // What is to be known about the answer, a sentence each, of which equal ones are about equal things.
  std::vector<std::string> warnings;
  // The data.
  Index dimension = 0;              // n
  Index samples = 0;                // p
  std::vector<Index> sample_shape;  // Samples::sample_shape
  Index rank = 0;                   // of the samples, after centring if that was asked for
  double rms = 0;  // root mean square of the entries of the samples, whitened if asked for: the unit of thresholds
  // What was used.
  std::string method;  // by its name
  Dictionary dictionary = Dictionary::kOrthogonal;
  bool center = false;
  Normalization normalize = Normalization::kNone;  // never kAuto
  Index atoms = 0;
  std::string stretch;  // empty for method auto
  bool remove_bias = false;
  Precision precision = Precision::kF64;
  double tolerance = 0;
  int threads = 0;
  int ranks = 1;
  std::vector<std::pair<std::string, double>> parameters;  // of a method outside the library, beyond Options
  // What method auto found out about the coefficients: a share theta of them carries signal, and the others have the
  // standard deviation `noise` (zero when the samples are exactly sparse).
  std::optional<double> theta;
  std::optional<double> noise;
  double dependence = 1;  // so many neighbouring samples count as one, where they depend on each other (method auto)
  Index distinct = 0;     // samples, each counted once where many are copies of others: method auto judges by these
  Index set_aside = 0;    // samples that are far larger than all others: method auto learns without them
  Index established = 0;  // atoms with Model::confidence ≥ ½
  // Of each atom the share of samples whose codes use it. Of an overcomplete dictionary only, else empty.
  std::vector<double> usage;
  // The run.
  int iterations = 0;
  int passes = 0;                // over all samples
  std::uint64_t bytes_sent = 0;  // by this rank to others
  std::string checkpoint_error;  // why the last checkpoint couldn't be written; empty if it could
  // Σφ at the end: of AY for a homogeneous φ, of AY/rms for the others; for method auto that of its last stage, on the
  // samples that it explored. NaN if never evaluated.
  double objective = 0;
  std::vector<IterationRecord> history;
  double moments_seconds = 0;
  double pass_seconds = 0;
  double projection_seconds = 0;
  double total_seconds = 0;

  // Whether the model can be used. True where the run converged, used up its iterations or its time, or was stopped by
  // the caller: the model is then the last iterate, whose quality is the caller's to judge unless it converged. False
  // for kNotEstablished: samples that weren't used in learning confirm none of its atoms.
  [[nodiscard]] bool is_usable() const;

  [[nodiscard]] std::string brief_report() const;  // one line
  // Several lines, and then the history, a line for each iteration. Of a history that is longer than `max_lines` ≥ 1 as
  // many lines are shown, the first and the last ones.
  [[nodiscard]] std::string full_report(std::optional<Index> max_lines = {}) const;
};

struct ORTHODICT_EXPORT FitResult {
  Model model;
  Summary summary;
};

// Learns a dictionary. Throws Error for bad options and bad data, and with Fault::kStopped when a stop was requested
// before the first look at the data was complete; every other outcome is in the Summary.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit(const Samples& samples, const Options& options = {});
// The same for samples in the rows of a matrix.
template <EigenObject T>
[[nodiscard]] FitResult fit(const T& x, const Options& options = {}) {
  return fit(*samples_in_rows(x), options);
}

// The paper's Algorithm 1 (and 3, with a finite step): maximises Σφ(A·D_o) over the orthogonal group for a known D_o.
// The method is msp.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit_on_group(const Matrix<double>& d_o, const Options& options = {});

}  // namespace orthodict
