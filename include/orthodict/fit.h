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
enum class Resampling { kHalves, kBootstrap, kNone };
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
ORTHODICT_EXPORT std::span<const Named<Resampling>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Initialization>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Termination>> names_of();
template <>
ORTHODICT_EXPORT std::span<const Named<Stage>> names_of();

// The history of a run has one record per iteration. Iteration 0 is the start.
struct IterationRecord {
  int iteration = 0;
  double objective =
      0;  // Σφ(A_t Y) over the samples of this iteration, with the φ of its stage (and signs: accelerate)
  // The left side of the inequality of Options::tolerance: the distance of A_t from A_{t−1}, unset at a start; with
  // accelerate the gradient at A_t.
  std::optional<double> step;
  double seconds = 0;  // since the call of fit()
  Stage stage = Stage::kMsp;
  Index samples = 0;  // number of samples passed over; those passed over twice count twice
};

// The argument of Options::callback.
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

// Options of fit(). The defaults require no knowledge of the data. Method kMsp, or naming a stretch, gives the paper's
// algorithms.
struct ORTHODICT_EXPORT Options {
  // kAuto: explore a random part of the samples with a shrinkage stretch, refine with the posterior mean of a fitted
  // mixture, and finish with falling thresholds if the samples turn out to be exactly sparse (docs/auto.md).
  // kMsp: match, stretch, project with one stretch from one start. Naming a stretch implies kMsp.
  Method method = Method::kAuto;

  // φ, by its name as in make_stretch(). custom_stretch, if set, replaces it.
  // Default: l4, the paper's Algorithm 2, for method msp.
  std::optional<std::string> stretch = {};
  std::shared_ptr<const Stretch> custom_stretch = {};

  // kComplete: recover the sources of any invertible mixture; whitens the samples. kOrthogonal: find an orthonormal
  // basis in which the samples themselves are sparse. kAuto: orthogonal if `whiten` is kNone. If `whiten` is unset, msp
  // learns an orthogonal dictionary, as in the paper, and method auto does if the covariance is a multiple of the
  // identity within sampling error. Otherwise complete. kOvercomplete, for method auto: more atoms than dimensions, as
  // many as the samples show (docs/overcomplete.md); with method auto, kAuto and more `atoms` than features are that.
  Dictionary dictionary = Dictionary::kAuto;

  // remove_bias, theta, bias_fraction and step apply to msp only.
  // Subtract the component of the step along A, mean(φ''(a_i Y))·p·A·Cov(Y) row by row. This saves iterations, but the
  // basin of attraction is smaller near the edge of the working range. Requires a smooth stretch.
  // Default: on for logcosh, which would otherwise seek the least sparse directions; off for all others.
  std::optional<bool> remove_bias = {};

  // The sparsity of the coefficients, if known: 0 < theta ≤ 1. With remove_bias and ℓ4 the bias is then exactly the
  // paper's 12pθ²A instead of an estimate; with whitening the scale is the paper's ((1/pθ)YYᵀ)^(−1/2).
  std::optional<double> theta = {};

  // The fraction of the bias that is removed, 0 < bias_fraction ≤ 1. The paper's α is bias_fraction·12pθ².
  double bias_fraction = 1;

  // The paper's Algorithm 3: A ← polar(A + step·∇Σφ(AY)), step > 0. Infinity gives match, stretch, project.
  double step = std::numeric_limits<double>::infinity();

  // For msp: climb by second order instead of match, stretch, project, by a quasi-Newton method on the orthogonal
  // group, which takes few steps where the plain ones creep, as on most real data. Where bias is kept it maximizes Σφ;
  // where bias is removed, which requires whitening, Σ_i s_i·Σφ(a_i Y) with the sign s_i of each atom's kurtosis.
  // Requires a smooth stretch, and has no step or bias_fraction. Where `precision` is left out, passes are in single
  // precision as long as the gradient is far above its rounding noise. Default: off.
  std::optional<bool> accelerate = {};

  // Whitening of the samples, which a dictionary that isn't orthogonal requires. No whitened copy is made: the matrix
  // is folded into the step. Default: none for an orthogonal dictionary, zca for a complete one.
  std::optional<Whitening> whiten = {};

  // Subtract the mean of the samples, without a copy. Default: off for msp and for dictionary kOrthogonal; else on if
  // the mean differs from zero by more than sampling error. Method auto then refines the mean to the point at which the
  // coefficients have their peak at zero, which differs from the mean for skewed coefficients, and an overcomplete
  // dictionary to the point about which samples are sparse.
  std::optional<bool> center = {};

  // Scale samples to unit length for learning, after subtraction of the mean. Useful for samples that differ in
  // contrast, such as patches of pictures, of which those of high contrast would dominate. Codes and scores aren't
  // affected. kAuto, for method auto only, learns both ways and keeps the result with more confident atoms, which takes
  // up to twice as long. It doesn't scale samples that are exactly sparse.
  Normalization normalize = Normalization::kNone;

  // The number of atoms k, from 1 to the rank of the data, or the share of the variance that they must hold, in (0, 1).
  // Default: n without whitening, the rank with it.
  // With whitening, atoms are learned in the k leading principal components of the covariance, in the units of the
  // data; a share gives the smallest sufficient k. Without whitening (an orthogonal dictionary) msp learns k atoms
  // directly; method auto, and both methods for a share, learn all atoms and keep those of most energy. Of an
  // overcomplete dictionary the most atoms that it may have; a share isn't legal there.
  std::optional<Atoms> atoms = {};

  // Floating-point precision of passes over the data and of the projection. Default: mixed if single precision
  // represents the samples exactly (u8, i16, f32 …) and the tolerance is above its rounding noise, else f64. kMixed
  // becomes f64 if single precision can't resolve the samples (docs/architecture.md). With kMixed or the default,
  // method auto explores in f32 and finishes in f64.
  std::optional<Precision> precision = {};

  // Maximum number of iterations, ≥ 0. Default: 500 for msp; limits for each stage for method auto.
  std::optional<int> max_iterations = {};

  // Stop when (Σ_i min(‖a_i' − a_i‖², ‖a_i' + a_i‖²) / k)^½ ≤ tolerance for the rows a_i of A before and a_i' after a
  // step; tolerance ≥ 0. Raised, if smaller, to rounding noise: (1 + |mean|/rms) times 8ε√n in f64 and f32, and 4ε of
  // single precision in mixed. With accelerate, stop when
  //   max_{i<j} |s_i⟨φ'(z_i)z_j⟩ − s_j⟨φ'(z_j)z_i⟩| / (⟨φ'(z_i)z_i⟩ + ⟨φ'(z_j)z_j⟩) ≤ tolerance
  // for the coefficients z in units of their rms and means ⟨⟩ over the samples: the largest angle by which a plain step
  // would turn an atom towards another. Of fewer atoms than dimensions, also towards what is outside of their span:
  // max |⟨φ'(z_i)x⟩ − Σ_j⟨φ'(z_i)z_j⟩a_j|/⟨φ'(z_i)z_i⟩. Method auto iterates to 1e-9, or to tolerance if smaller, on
  // exactly sparse samples; otherwise its last steps are measured on the established atoms only, if there are any.
  // Default: 1e-6 for msp, 1e-4 for method auto.
  std::optional<double> tolerance = {};

  // Stop at the first iteration after this many seconds; > 0.
  std::optional<double> time_limit = {};

  // Seed of the random start and of the choice of samples to explore. 0 is a seed like any other.
  std::uint64_t seed = 0;

  // Number of threads, 1 … 4096, of which at most 120 are used (a limit of BLAS). Default: one per core. The result
  // doesn't depend on it.
  std::optional<int> threads = {};

  // The processes that learn together. Default: this process alone. The result doesn't depend on their number. All
  // ranks must pass the same options, except for threads, callback and stop; a stop on one rank stops all. All ranks
  // read `resume`; rank 0 writes checkpoints. An Error on one rank is thrown on all.
  std::shared_ptr<Ranks> ranks = {};

  // Write checkpoints to this file (.npz) every checkpoint_every ≥ 0 seconds, and when the run ends early, so that a
  // killed run can be resumed. Default: `resume`, or no checkpoints. A failure to write doesn't end the run; it is
  // reported in Summary::checkpoint_error.
  std::string checkpoint = {};
  double checkpoint_every = 60;

  // Resume from this checkpoint. The result has the same bits as that of an uninterrupted run. Samples and options must
  // be the same, which is checked; only max_iterations, time_limit, threads and ranks may differ.
  std::string resume = {};

  // Consensus (docs/consensus.md): learn from so many starts, 1 … 10000, and match the atoms of all runs with each
  // other. The model has the centres of the atoms' versions, and says how stable each atom is: Model::stability, found.
  // Runs share the first look at the samples, and run side by side on the threads. One run is a plain fit. A fit that
  // ends early by its limits, or by a stop, has no consensus.
  int runs = 1;

  // With several runs: learn as often from choices of the samples too, made of blocks of neighbours: another start may
  // lead to the same accident of these samples, but other samples don't. kHalves, the default: random halves, each with
  // its complement. kBootstrap: as many blocks, drawn with replacement, which have 63 % of the samples.
  std::optional<Resampling> resample = {};

  // With several runs: drop the atoms that aren't stable, unless none is. Unset: no.
  std::optional<bool> stable_only = {};

  // Give each atom the sign that makes the skewness of its codes positive: the long tail is then that of large codes.
  // Takes two more looks at the samples. Unset: the largest entry of each atom is positive.
  std::optional<bool> orient = {};

  // The start of A. kGiven is initial_dictionary: atoms in rows (k×n), in the coordinates of the data. Default: kGiven
  // if there is an initial_dictionary, else kRandom.
  std::optional<Initialization> init = {};
  RowMatrix<double> initial_dictionary = {};

  // Called after each iteration, in the thread that called fit(). Returning true stops the run.
  std::function<bool(const Iterate&)> callback = {};

  // A stop request ends the run soon, also within a pass. The result is the last completed iterate; while method auto
  // explores, it is the best iterate that was judged, if any.
  std::stop_token stop = {};

  // Throws Error that names the first invalid option, its value and the legal values.
  void validate() const;
};

// The outcome of fit().
struct ORTHODICT_EXPORT Summary {
  Termination termination = Termination::kMaxIterations;
  std::string message;  // one sentence on the termination
  // One sentence per warning. The same condition always gives the same sentence.
  std::vector<std::string> warnings;
  // The data.
  Index dimension = 0;              // n
  Index samples = 0;                // p
  std::vector<Index> sample_shape;  // Samples::sample_shape
  Index rank = 0;                   // of the samples, after centring if enabled
  double rms = 0;  // root mean square of the entries of the samples (whitened if enabled), the unit of thresholds
  // The options that were used.
  std::string method;  // its name
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
  std::vector<std::pair<std::string, double>> parameters;  // further parameters of a baseline
  // Estimates of method auto: a share theta of the coefficients carries signal, and the others have the standard
  // deviation `noise` (zero if the samples are exactly sparse).
  std::optional<double> theta;
  std::optional<double> noise;
  double dependence = 1;  // number of neighbouring, dependent samples that count as one (method auto)
  Index distinct = 0;     // number of samples without copies, on which method auto judges atoms
  Index set_aside = 0;    // number of samples that method auto left out, because they are far larger than all others
  Index established = 0;  // number of atoms with Model::confidence ≥ ½
  // For each atom the share of samples whose codes use it; empty unless the dictionary is overcomplete.
  std::vector<double> usage;
  int runs = 1;            // number of runs on all samples whose atoms were matched
  int resampled_runs = 0;  // number of runs on choices of the samples
  Index stable = 0;        // number of stable atoms (stable_atoms()); 0 after a single run
  // The course of the run.
  int iterations = 0;
  int passes = 0;                // number of passes over all samples
  std::uint64_t bytes_sent = 0;  // by this rank to the others
  std::string checkpoint_error;  // error of the last checkpoint; empty if it was written
  // The final Σφ(AY) for a homogeneous φ, Σφ(AY/rms) for the others. For method auto that of its last stage, on the
  // explored samples. NaN if never evaluated.
  double objective = 0;
  std::vector<IterationRecord> history;
  double moments_seconds = 0;
  double pass_seconds = 0;
  double projection_seconds = 0;
  double total_seconds = 0;

  // Whether the model can be used. False for kNotEstablished: the hold-out samples confirm none of its atoms. True for
  // all other terminations; unless the run converged, the quality of the last iterate is for the caller to judge.
  [[nodiscard]] bool is_usable() const;

  [[nodiscard]] std::string brief_report() const;  // one line
  // Several lines, followed by the history with one line per iteration. A history that is longer than `max_lines` ≥ 1
  // is shortened to its first and last lines.
  [[nodiscard]] std::string full_report(std::optional<Index> max_lines = {}) const;
};

struct ORTHODICT_EXPORT FitResult {
  Model model;
  Summary summary;
};

// Learns a dictionary. Throws Error for invalid options and data, and with Fault::kStopped if a stop was requested
// before the first pass over the data was complete. Every other outcome is in the Summary.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit(const Samples& samples, const Options& options = {});
// The same for samples in the rows of a matrix.
template <EigenObject T>
[[nodiscard]] FitResult fit(const T& x, const Options& options = {}) {
  return fit(*samples_in_rows(x), options);
}

// The paper's Algorithm 1 (and 3, with a finite step): maximizes Σφ(A·D_o) over the orthogonal group for a known D_o.
// Options::method is ignored: the method is msp.
[[nodiscard]] ORTHODICT_EXPORT FitResult fit_on_group(const Matrix<double>& d_o, const Options& options = {});

}  // namespace orthodict
