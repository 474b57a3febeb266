// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace orthodict::experiments {

// A line of a table, or part of one: column names and scalars.
using Row = nlohmann::ordered_json;

// kFull: the paper's own sizes and numbers of trials. kPlain: smaller ones of the same shape. kTiny: seconds for all
// experiments together, which shows that they run and nothing else.
enum class Size { kTiny, kPlain, kFull };

// How a run was asked for.
struct Scale {
  Size size = Size::kPlain;
  std::uint64_t seed = 0;     // trial t draws from seed + t
  std::string data = "data";  // folder with data sets that can't be made up

  template <typename T>
  [[nodiscard]] T pick(T tiny, T plain, T full) const {
    return size == Size::kTiny ? tiny : size == Size::kPlain ? plain : full;
  }
};

// What a cell is given when it runs.
struct Context {
  std::filesystem::path folder;  // of the experiment's results, for files beyond the tables
  std::optional<int> threads;    // to use; unset is all
  std::stop_token stop;
};

// The unit of work that is done or not done. Its key, unique within the table, says what it was given; it yields one or
// more lines, each of which becomes the key's columns followed by its own.
struct Cell {
  std::string table;
  Row key;
  double cost = 1;                                      // about proportional to the time it takes
  std::function<std::vector<Row>(const Context&)> run;  // what it gives after a stop isn't looked at
};

struct Experiment {
  std::string name = {};
  std::string title = {};
  std::string source = {};  // where it is in the paper
  bool times = false;       // its cells measure time: they run one after the other, each with all threads
  std::function<std::vector<Cell>(const Scale&)> cells;
};

// All of them, in the order of the paper.
[[nodiscard]] std::span<const Experiment> all_experiments();
// Throws Error, naming the experiments there are.
[[nodiscard]] const Experiment& find_experiment(const std::string& name);

// Its place in that order, from 1 on.
[[nodiscard]] std::size_t number_of(const Experiment& experiment);

// One per folder.
Experiment orthogonal_one_run();
Experiment orthogonal_trials();
Experiment pga_steps();
Experiment tan_cube();
Experiment learning_one_run();
Experiment learning_trials();
Experiment orders();
Experiment phase_theta_samples();
Experiment phase_dimension_samples();
Experiment comparison();
Experiment mnist();
Experiment bias_removal();
Experiment phase_auto();
Experiment robustness();
Experiment exactness();
Experiment concentration();
Experiment digits();
Experiment denoising();
Experiment rate_distortion();

}  // namespace orthodict::experiments
