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

// A row of a table, or part of one: column names and scalars.
using Row = nlohmann::ordered_json;

// kFull: the sizes and numbers of trials of the paper. kPlain: smaller ones with the same shape. kTiny: seconds for all
// experiments together, only to test that they run.
enum class Size { kTiny, kPlain, kFull };

// The parameters of a run.
struct Scale {
  Size size = Size::kPlain;
  std::uint64_t seed = 0;     // trial t draws from seed + t
  std::string data = "data";  // folder of the data sets that are not synthetic

  template <typename T>
  [[nodiscard]] T pick(T tiny, T plain, T full) const {
    return size == Size::kTiny ? tiny : size == Size::kPlain ? plain : full;
  }
};

// The environment of a running cell.
struct Context {
  std::filesystem::path folder;  // the experiment's folder of results, for additional files
  std::optional<int> threads;    // default: all cores
  std::stop_token stop;
};

// The unit of work that is either done or not. Its key, unique within the table, has its parameters. It yields one or
// more rows, each of which becomes the key's columns followed by its own.
struct Cell {
  std::string table;
  Row key;
  double cost = 1;                                      // roughly proportional to its run time
  std::function<std::vector<Row>(const Context&)> run;  // the result after a stop is ignored
};

struct Experiment {
  std::string name = {};
  std::string title = {};
  std::string source = {};  // its place in the paper
  bool times = false;       // cells measure time: they run one at a time, each with all threads
  std::function<std::vector<Cell>(const Scale&)> cells;
};

// All experiments, in the order of the paper.
[[nodiscard]] std::span<const Experiment> all_experiments();
// Throws Error, listing the legal names.
[[nodiscard]] const Experiment& find_experiment(const std::string& name);

// Its position in that order, starting from 1.
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
Experiment complex_trials();
Experiment complex_phase();

}  // namespace orthodict::experiments
