// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "solver/auto/evidence.h"
#include "solver/view.h"

namespace orthodict::solver {

// What is subtracted from a step before it is projected: mean(φ'')·B·Cov(x), with a mean for each atom or one for all.
// The first makes the step Newton's wherever atoms differ, the second leaves exactly sparse solutions where they are.
enum class Bias { kKept, kPerAtom, kPooled };

// Thrown by a step, or by the copy of a part, where the run has to end instead: its limits are reached, or a stop was
// asked for. It is no error, and run_auto() alone catches it.
struct RunEnded {
  Termination termination;
};

// The iterate of method auto, and the steps it takes: match, stretch, project inside the orthogonal group, and
// regression beyond it. Steps throw RunEnded.
class Search final : public Resumable {
 public:
  // Run and evidence outlive the search. With `locate` the point that is subtracted from the samples moves with the
  // steps that remove bias pooled, and with regressions: to where the location of the mixture, or of the zeros, is most
  // likely. Of a basis energy_step() is measured. Checkpoints hold `saved`, or the search where that is null.
  Search(Run& run, Evidence& evidence, bool locate, bool is_basis, Resumable* saved = nullptr);

  // A fresh start from an orthogonal matrix. The point that is subtracted goes back to the mean.
  void restart(const Matrix<double>& a);

  // Parts as Evidence has them. They throw RunEnded too.
  [[nodiscard]] View part_to_explore(Index count, Precision precision);
  [[nodiscard]] View part_of_fold(const Fold& fold, Precision precision);

  // Only these atoms lead from now on. The others make room for them: their own steps would wander without end.
  void let_lead(std::vector<Index> atoms) { leaders_ = std::move(atoms); }

  // B ← polar(Σφ'(z)xᵀ − bias).
  void project(const View& view, const std::shared_ptr<const Stretch>& stretch, Bias bias, Stage stage);

  // The same, but each atom has its own pace, 1/(1 − λ) for errors that a step multiplies by λ, as two steps in a row
  // tell: those that go back and forth go half-way, and those that creep go further.
  void project_paced(const View& view, const std::shared_ptr<const Stretch>& stretch, Bias bias, Stage stage);

  // D ← (Σxhᵀ)(Σhhᵀ)⁻¹ with h = φ'(z), and B ← D⁻¹, its rows' steps lengthened by 1/(1 − mean φ''): towards the
  // dictionary that best explains the samples by the stretched coefficients. Rows of B are scaled to coefficients of
  // unit variance. Where the stretched coefficients don't determine D it is project() instead.
  void regress(const View& view, const std::shared_ptr<const Stretch>& stretch, Stage stage);

  // Atoms i and j ← their sum and their difference, over √2, after atom j is multiplied by e^(i·angle).
  void turn_by_45_degrees(Index i, Index j, double angle = 0);

  // B and its inverse to double precision, where they were found in single: the polar factor of an orthogonal B.
  void polish(bool orthogonal);

  // The last line of the history: the iterate as it is, with the stretch of the last step. Tells if a stop was asked
  // for on the way, and goes back to the iterate before if that came before the end of the pass.
  [[nodiscard]] std::optional<Termination> evaluate(const View& view);

  [[nodiscard]] const Matrix<double>& b() const { return state_.b; }
  [[nodiscard]] Place place() const { return {.b = state_.b, .inverse = state_.inverse, .shift = state_.shift}; }
  [[nodiscard]] const Vector<double>& shift() const { return state_.shift; }
  [[nodiscard]] const Vector<double>& row_steps() const { return row_steps_; }  // of the last step, one per atom
  [[nodiscard]] double step() const { return step_length(row_steps_); }
  // The same with atoms counted by the energy of their coefficients: what a step does to a basis. Else zero.
  [[nodiscard]] double energy_step() const { return energy_step_; }
  [[nodiscard]] const Vector<double>& mean_curvature() const { return mean_curvature_; }  // mean φ'' before that step

  // What a step changes of the iterate, to go back to.
  struct State {
    Matrix<double> b;
    Matrix<double> inverse;
    Vector<double> shift;
    // Of b, by a step that has a pace, if that were 1; and what it was. Empty at first.
    Matrix<double> last_move = {};
    Vector<double> pace = {};
  };
  void restore(const State& state);
  // Turns all atoms at random, to a cos² of about 1/(1 + size²/2) with what they were. Numbers give different turns.
  void perturb(double size, Index number);
  [[nodiscard]] double objective() const { return objective_; }  // of the last pass

  // A copy to go back to, which checkpoints hold as long as somebody else does.
  [[nodiscard]] std::shared_ptr<const State> keep();

  void save(formats::NpzBuilder* file) const override { save_as("", file); }
  void load(const formats::NpzFile& file) override { load_as("", file); }
  // The same under names that begin so.
  void save_as(const std::string& prefix, formats::NpzBuilder* file) const;
  void load_as(const std::string& prefix, const formats::NpzFile& file);

  // Iterations are counted from those of the run so far.
  void count_on() { iteration_ = run_.summary().iterations; }

  // As many atoms of most energy as options ask for.
  [[nodiscard]] Model model(const Vector<double>& confidence, const Repetition& repetition = {}) const;

 private:
  [[nodiscard]] View copy_part(const std::function<std::optional<View>(const std::stop_token&)>& copy);
  // Takes a step: a pass over the view, then `move` with its sums. A resumed run recalls the steps it took before.
  void take_step(const View& view, const std::shared_ptr<const Stretch>& stretch, engine::PassOutput output,
                 Stage stage, const std::function<void(const engine::PassResult&)>& move);
  void recall_step(const View& view, const std::shared_ptr<const Stretch>& stretch, Stage stage,
                   const StepOutcome& outcome);
  [[nodiscard]] StepOutcome outcome() const;
  // Ends the run if its iterations or its time are used up.
  void check_limits();
  [[noreturn]] void end(Termination termination);
  // Goes back to the iterate before the last step: the pass that would have evaluated the present one was stopped.
  void step_back();
  // Records a complete pass in the history. True when the callback asks to stop.
  [[nodiscard]] bool record(const View& view, const std::shared_ptr<const Stretch>& stretch, Stage stage,
                            const engine::PassResult& sums);
  // The atoms that don't lead get the linear stretch φ'(z) = z: it prefers no direction, and where the leaders' zeros
  // are exact the matrix to project is symmetric times B, so that B stays.
  void follow(const Matrix<double>& moments, double pooled, Matrix<double>* g) const;
  [[nodiscard]] Matrix<double> correlation(const View& view, const engine::PassResult& result) const;
  [[nodiscard]] const Vector<double>& centre(const View& view) const;  // what moments are about
  // The step of project(), from a pass.
  void move_by_projection(const View& view, const engine::PassResult& result, Bias bias, bool paced = false);
  [[nodiscard]] Matrix<double> polar(const Matrix<double>& g, const View& view);
  // Where a step to b leads at each row's own pace.
  [[nodiscard]] Matrix<double> paced(Matrix<double> b, const View& view);
  // That of regress().
  void move_by_regression(const View& view, const engine::PassResult& result);
  // Nothing when the stretched coefficients don't determine D.
  [[nodiscard]] std::optional<Matrix<double>> regression(const View& view, const engine::PassResult& result) const;
  void move_to(Matrix<double> b, Matrix<double> inverse);
  void locate(const View& view, const engine::PassResult& result);
  [[nodiscard]] bool is_complex() const { return coordinates_.is_complex(); }

  Run& run_;
  Evidence& evidence_;
  Resumable* saved_;
  const Coordinates& coordinates_;
  bool locates_;
  bool is_basis_;
  std::vector<Index> leaders_;  // rows of B; all when empty
  State state_;
  State evaluated_;  // when a pass was last complete
  std::vector<std::weak_ptr<State>> kept_;
  int iteration_ = 0;
  std::shared_ptr<const Stretch> last_stretch_;
  Stage last_stage_ = Stage::kExplore;
  std::optional<double> last_step_;
  Vector<double> row_steps_;
  double energy_step_ = 0;
  Vector<double> mean_curvature_;
  double objective_ = 0;
};

[[nodiscard]] inline Place place_of(const Search::State& state) {
  return {.b = state.b, .inverse = state.inverse, .shift = state.shift};
}

}  // namespace orthodict::solver
