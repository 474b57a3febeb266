// SPDX-License-Identifier: Apache-2.0
#include "runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

#include "journal.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/version.h"
#include "progress.h"

namespace orthodict::experiments {
namespace {

using Clock = std::chrono::steady_clock;

// "3 min 20 s"
std::string duration(double seconds) {
  const auto s = static_cast<long long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

// Missing and non-finite values become empty. (JSON can't represent the latter, so a journal returns null.)
std::string csv_field(const Row& value) {
  if (value.is_null() || (value.is_number_float() && !std::isfinite(value.get<double>()))) return "";
  if (!value.is_string()) return value.dump();
  const auto text = value.get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

// Rows of a table may have different columns. The header has all of them, in order of first appearance.
std::string to_csv(const std::vector<Row>& rows) {
  std::vector<std::string> columns;
  for (const Row& row : rows) {
    for (const auto& [name, value] : row.items()) {
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += (c > 0 ? "," : "") + (row.contains(columns[c]) ? csv_field(row[columns[c]]) : "");
    }
    text += '\n';
  }
  return text;
}

// A lock on a folder for the object's lifetime, so that only one process works in it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder) : file_(open(folder.c_str(), O_RDONLY | O_DIRECTORY)) {
    if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    close(file_);
    throw data_error(folder, "another process is working there");
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (file_ >= 0) close(file_);
  }

 private:
  int file_;
};

// The FNV-1a hash of the executable, so that results of different builds are not mixed.
std::string digest_of_this_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::istreambuf_iterator<char> byte(file), end; byte != end; ++byte) {
    hash = (hash ^ static_cast<unsigned char>(*byte)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

// Runs cells on several threads and writes the journal.
class Team {
 public:
  Team(const Experiment& experiment, std::vector<Cell> cells, Journal* journal, int threads, Context context)
      : experiment_(experiment),
        cells_(std::move(cells)),
        journal_(journal),
        size_(experiment.times ? 1 : threads),
        context_(std::move(context)) {
    context_.threads = threads / size_;
    for (const Cell& cell : cells_) {
      if (!journal_->find(cell)) todo_.push_back(&cell);
    }
    // Longest cells first, so that threads finish at about the same time. This also makes the estimate of the remaining
    // time too large rather than too small.
    if (!experiment.times) {
      std::stable_sort(todo_.begin(), todo_.end(), [](const Cell* a, const Cell* b) { return a->cost > b->cost; });
    }
    for (const Cell* cell : todo_) cost_all_ += cell->cost;
  }

  void run() {
    {
      std::vector<std::jthread> team;
      for (int i = 1; i < size_; ++i) team.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    if (context_.stop.stop_requested()) {
      throw Error(Fault::kStopped,
                  fmt::format("{}: interrupted with {} of {} cells done; run the same command to continue",
                              experiment_.name, done_before() + done_, cells_.size()));
    }
  }

  [[nodiscard]] std::size_t done_before() const { return cells_.size() - todo_.size(); }

 private:
  void work() {
    while (const Cell* cell = take()) {
      try {
        std::vector<Row> rows = cell->run(context_);
        if (context_.stop.stop_requested()) return;
        finish(*cell, std::move(rows));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        const bool stopped = context_.stop.stop_requested();  // errors after a stop are ignored
        if (!failure_ && !stopped) failure_ = std::current_exception();
      }
    }
  }

  const Cell* take() {
    const std::lock_guard lock(mutex_);
    if (failure_ || context_.stop.stop_requested() || next_ == todo_.size()) return nullptr;
    show_progress();
    return todo_[next_++];
  }

  void finish(const Cell& cell, std::vector<Row> rows) {
    const std::lock_guard lock(mutex_);
    journal_->add(cell, std::move(rows));
    ++done_;
    cost_done_ += cell.cost;
    show_progress();
  }

  void show_progress() {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = elapsed * (cost_all_ - cost_done_) / cost_done_;
    progress_.show(fmt::format("{}  {} of {} cells  {} elapsed{}", experiment_.name, done_before() + done_,
                               cells_.size(), duration(elapsed),
                               cost_done_ > 0 ? ", about " + duration(left) + " left" : ""));
  }

  const Experiment& experiment_;
  std::vector<Cell> cells_;
  Journal* journal_;
  int size_;  // number of cells at a time
  Context context_;
  std::vector<const Cell*> todo_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  double cost_all_ = 0;  // total cost of the cells to run
  double cost_done_ = 0;
  std::exception_ptr failure_;
  cli::Progress progress_;
  Clock::time_point start_ = Clock::now();
};

void write_tables(const Experiment& experiment, const Row& run, const std::vector<Cell>& cells, const Journal& journal,
                  const std::filesystem::path& folder) {
  std::map<std::string, std::vector<Row>> tables;
  for (const Cell& cell : cells) {
    for (const Row& row : *journal.find(cell)) {
      Row line = cell.key;
      line.update(row);
      tables[cell.table].push_back(std::move(line));
    }
  }
  Row all = run;
  all["title"] = experiment.title;
  all["source"] = experiment.source;
  all["number"] = number_of(experiment);
  for (const auto& [name, rows] : tables) {
    all["tables"][name] = rows;
    write_file(folder / (name + ".csv"), to_csv(rows));
  }
  write_file(folder / "results.json", all.dump(1) + "\n");
}

}  // namespace

void run_experiment(const Experiment& experiment, const Scale& scale, const std::filesystem::path& folder,
                    const RunOptions& options) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw data_error(folder, "cannot be created: " + failure.message());
  const FolderLock lock(folder);
  const std::string path = folder / "journal.jsonl";
  if (options.restart) {
    std::filesystem::remove(folder / "results.json");
    std::filesystem::remove(path);
  }
  const Row run = {{"experiment", experiment.name},
                   {"size", scale.pick("tiny", "plain", "full")},
                   {"seed", scale.seed},
                   {"version", ORTHODICT_VERSION},
                   {"build", digest_of_this_program()}};
  Journal journal(path, run);
  const std::vector<Cell> cells = experiment.cells(scale);
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Team(experiment, cells, &journal, options.threads.value_or(cores),
       {.folder = folder, .threads = {}, .stop = options.stop})
      .run();
  write_tables(experiment, run, cells, journal, folder);
}

}  // namespace orthodict::experiments
