// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solver/journal.h"
#include "solver/view.h"

namespace orthodict::solver {

// What is subtracted from a step before it is projected: mean(φ'')·B·Cov(x), with a mean for each atom or one for all.
// The first makes the step Newton's wherever atoms differ, the second leaves exactly sparse solutions where they are.
enum class Bias { kKept, kPerAtom, kPooled };

// The iterate of method auto, and the steps it takes: match, stretch, project inside the orthogonal group, and
// regression beyond it. Steps do nothing once the run has ended: because its limits are reached, or a stop was asked
// for.
class Search final : public Iterand {
 public:
  // With `locate` the point that is subtracted from the samples moves with the steps that remove bias pooled, and with
  // regressions: to where the location of the mixture, or of the zeros, is most likely.
  Search(Run& run, const Coordinates& coordinates, bool locate);

  // A fresh start from an orthogonal matrix. The point that is subtracted goes back to the mean.
  void restart(const Matrix<double>& a);

  // Only these atoms lead from now on. The others make room for them: their own steps would wander without end.
  void let_lead(std::vector<Index> atoms) { leaders_ = std::move(atoms); }

  // B ← polar(Σφ'(z)xᵀ − bias). Returns false when the run has ended.
  bool project(const View& view, const Stretch& stretch, Bias bias, Stage stage);

  // D ← (Σxhᵀ)(Σhhᵀ)⁻¹ with h = φ'(z), and B ← D⁻¹, its rows' steps lengthened by 1/(1 − mean φ''): towards the
  // dictionary that best explains the samples by the stretched coefficients. Rows of B are scaled to coefficients of
  // unit variance. Where the stretched coefficients don't determine D it is project() instead. Returns false when the
  // run has ended.
  bool regress(const View& view, const Stretch& stretch, Stage stage);

  // Atoms i and j ← their sum and their difference, over √2.
  void turn_by_45_degrees(Index i, Index j);

  // B and its inverse to double precision, where they were found in single: the polar factor of an orthogonal B.
  void polish(bool orthogonal);

  // The last line of the history: the iterate as it is, with the stretch of the last step. Not after a stop.
  void evaluate(const View& view);

  [[nodiscard]] const Matrix<double>& b() const { return state_.b; }
  [[nodiscard]] const Vector<double>& shift() const { return state_.shift; }
  [[nodiscard]] const Vector<double>& row_steps() const { return row_steps_; }  // of the last step, one per atom
  [[nodiscard]] double step() const { return step_length(row_steps_); }
  [[nodiscard]] const Vector<double>& mean_curvature() const { return mean_curvature_; }  // mean φ'' before that step
  [[nodiscard]] std::optional<Termination> ended() const { return ended_; }

  // What a step changes of the iterate, to go back to.
  struct State {
    Matrix<double> b;
    Matrix<double> inverse;
    Vector<double> shift;
  };
  void restore(const State& state);

  // A copy to go back to, which checkpoints hold as long as somebody else does.
  [[nodiscard]] std::shared_ptr<const State> keep();

  void save(data::NpzBuilder* file) const override;
  void load(const data::NpzFile& file) override;

  // As many atoms of most energy as options ask for.
  [[nodiscard]] Model model(const Vector<double>& confidence) const;

 private:
  // A step, or what is known of it when the run has been here before.
  bool take(const View& view, const Stretch& stretch, Stage stage, const std::function<bool()>& step);
  [[nodiscard]] Journal::Entry describe_step() const;
  void take_again(const View& view, const Stretch& stretch, Stage stage, const Journal::Entry& step);
  // A pass of a step, unless the run has to end.
  std::optional<engine::PassResult> look(const View& view, const Stretch& stretch, engine::Want want, Stage stage);
  // To the iterate before the last step: the pass that would have evaluated the present one was stopped.
  void step_back();
  std::optional<engine::PassResult> pass(const View& view, const Stretch& stretch, engine::Want want, Stage stage);
  // The atoms that don't lead get the linear stretch φ'(z) = z: it prefers no direction, and where the leaders' zeros
  // are exact the matrix to project is symmetric times B, so that B stays.
  void follow(const Matrix<double>& moments, double pooled, Matrix<double>* g) const;
  [[nodiscard]] Matrix<double> correlation(const View& view, const engine::PassResult& result) const;
  [[nodiscard]] const Vector<double>& centre(const View& view) const;  // what moments are about
  // The step of project(), from a pass.
  void move_by_projection(const View& view, const engine::PassResult& result, Bias bias);
  // That of regress().
  void move_by_regression(const View& view, const engine::PassResult& result);
  // Nothing when the stretched coefficients don't determine D.
  [[nodiscard]] std::optional<Matrix<double>> regression(const View& view, const engine::PassResult& result) const;
  void move_to(Matrix<double> b, Matrix<double> inverse);
  void locate(const View& view, const engine::PassResult& result);

  Run& run_;
  const Coordinates& coordinates_;
  bool locates_;
  std::vector<Index> leaders_;  // rows of B; all when empty
  State state_;
  State evaluated_;  // when a pass was last complete
  std::vector<std::weak_ptr<State>> kept_;
  int iteration_ = 0;
  std::string last_stretch_ = "soft:1";
  Stage last_stage_ = Stage::kExplore;
  std::optional<double> last_step_;
  Vector<double> row_steps_;
  Vector<double> mean_curvature_;
  std::optional<Termination> ended_;
};

}  // namespace orthodict::solver
