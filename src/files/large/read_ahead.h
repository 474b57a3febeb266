// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "files/large/large_file.h"

namespace orthodict::files {

struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// A pool of file windows that dedicated reader threads fill ahead of the compute threads.
//
// In a pass, the compute threads together request each byte of a file's range once; a window whose bytes have all been
// requested is freed. (Other access patterns give the same bytes, but read more from disk.) A thread that needs a
// window before a reader has started on it fills the window itself. If no window is free, the thread reads just the
// requested bytes. So too few windows or reader threads cost time, but never fail.
class WindowPool {
 public:
  static constexpr std::size_t kWindowSize = std::size_t{1} << 20;  // windows begin at multiples of it

  // The pool of this process, created on demand and destroyed with its last owner. Shared by all files, to limit
  // memory.
  [[nodiscard]] static std::shared_ptr<WindowPool> shared();

  // Throws std::bad_alloc.
  WindowPool(std::size_t windows, int readers);
  WindowPool(const WindowPool&) = delete;
  WindowPool& operator=(const WindowPool&) = delete;

  // False in a forked child, which inherits neither the windows nor the reader threads.
  [[nodiscard]] bool is_ours() const { return pages_.are_ours(); }

 private:
  friend class ReadAhead;
  using Clock = std::chrono::steady_clock;
  struct Contents;
  enum class State { kWanted, kBeingRead, kRead };
  struct Window {
    Contents* of = nullptr;  // null: the window is free
    std::size_t index = 0;
    State state = State::kWanted;
    Clock::time_point touched;  // when it was last claimed, filled or copied from
    int users = 0;              // threads that are copying from it or about to fill it
    std::byte* bytes = nullptr;
  };
  // A file with, for each window-sized section: the window that holds it, or null, and the bytes not yet requested in
  // this pass.
  struct Contents {
    LargeFile file;
    ByteRange range;
    std::vector<Window*> windows;
    std::vector<std::size_t> left;

    // Throws Error if the file is shorter than the range.
    Contents(InputFile input, ByteRange bytes);
    [[nodiscard]] std::size_t bytes_in(std::size_t index) const;
    // Records a request. Returns whether it is the first for that section in this pass.
    bool ask_for(std::size_t index, std::size_t bytes);
    void begin_pass();
  };
  using Lock = std::unique_lock<std::mutex>;

  void start_readers();  // at the first request: an idle pool needs no threads
  // Requests `bytes` bytes of a section and returns its window, filled; null if no window is free.
  [[nodiscard]] Window* take(Contents& of, std::size_t index, std::size_t bytes);
  void give_back(Window& window);
  void forget(Contents& of);

  [[nodiscard]] Window* claim(Contents& of, std::size_t index, std::size_t reserve);
  void release(Window& window);
  void want_ahead(Contents& of, std::size_t index);
  void fill(Window& window, Lock& lock);
  void serve(const std::stop_token& stop);
  // The least recently touched window that satisfies `condition`, or null.
  template <typename Condition>
  [[nodiscard]] Window* find_oldest(const Condition& condition);

  int reader_count_;
  std::once_flag started_;
  Pages pages_;
  std::mutex mutex_;
  std::condition_variable filled_;  // notified when a window was filled or failed to fill
  std::condition_variable_any wanted_;
  std::vector<Window> windows_;
  std::vector<Window*> free_;
  std::vector<std::jthread> readers_;  // last member: the threads must end before the others are destroyed
};

// A range of a file, read by several threads at once.
class ReadAhead {
 public:
  ReadAhead(InputFile file, ByteRange range, std::shared_ptr<WindowPool> pool = WindowPool::shared());
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  // Copies the bytes at `offset`, within the range. Throws Error if the file has been truncated.
  void read_in_order(std::size_t offset, std::span<std::byte> to);
  void read_at_random(std::size_t offset, std::span<std::byte> to);

  // For tests: the number of windows that hold a part of this file.
  [[nodiscard]] std::size_t filled_windows() const;

 private:
  [[nodiscard]] WindowPool& pool() const { return **pool_; }

  std::unique_ptr<std::shared_ptr<WindowPool>> pool_;  // a pointer to it, so that a forked child can leak it
  WindowPool::Contents contents_;
};

}  // namespace orthodict::files
