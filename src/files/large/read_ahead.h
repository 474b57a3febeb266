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

// Windows of files that are read in order, which threads that do nothing else fill before those that compute come
// there.
//
// A pass asks for every byte of a file's range once, whichever thread for which: a window of which nothing is left to
// ask for makes room for another. (Who asks otherwise gets the same bytes, and more is read.) Whoever comes to a window
// that nobody has begun to fill does it himself, and where there is no room for a window only what is asked for is
// read: more threads than windows, or a system that grants no threads to read, cost time alone.
class WindowPool {
 public:
  static constexpr std::size_t kWindowSize = std::size_t{1} << 20;  // windows begin at multiples of it

  // The one of this process, which is there as long as somebody holds it: files may be many, and what windows take of
  // memory is limited.
  [[nodiscard]] static std::shared_ptr<WindowPool> shared();

  // Throws std::bad_alloc.
  WindowPool(std::size_t windows, int readers);
  WindowPool(const WindowPool&) = delete;
  WindowPool& operator=(const WindowPool&) = delete;

  // A forked child has neither the windows nor who fills them.
  [[nodiscard]] bool is_ours() const { return pages_.are_ours(); }

 private:
  friend class ReadAhead;
  using Clock = std::chrono::steady_clock;
  struct Contents;
  enum class State { kWanted, kBeingRead, kRead };
  struct Window {
    Contents* of = nullptr;  // none: the window is free
    std::size_t index = 0;
    State state = State::kWanted;
    Clock::time_point touched;  // when it was claimed, filled, or last copied from
    int users = 0;              // who copy from it now, or are about to fill it
    std::byte* bytes = nullptr;
  };
  // A file, and by window: which it is in, and how many bytes of it this pass hasn't asked for yet.
  struct Contents {
    LargeFile file;
    ByteRange range;
    std::vector<Window*> windows;
    std::vector<std::size_t> left;

    // Throws Error when the file is shorter than the range.
    Contents(InputFile input, ByteRange bytes);
    [[nodiscard]] std::size_t bytes_in(std::size_t index) const;
    // Whether they are the first of a window in this pass.
    bool ask_for(std::size_t index, std::size_t bytes);
    void begin_pass();
  };
  using Lock = std::unique_lock<std::mutex>;

  void start_readers();  // when there is something to read: threads may be few
  // For so many bytes of it. None where there is no room.
  [[nodiscard]] Window* take(Contents& of, std::size_t index, std::size_t bytes);
  void give_back(Window& window);
  void forget(Contents& of);

  [[nodiscard]] Window* claim(Contents& of, std::size_t index, std::size_t reserve);
  void release(Window& window);
  void want_ahead(Contents& of, std::size_t index);
  void fill(Window& window, Lock& lock);
  void serve(const std::stop_token& stop);
  // Of those for which `condition` holds the one that was touched first.
  template <typename Condition>
  [[nodiscard]] Window* find_oldest(const Condition& condition);

  int reader_count_;
  std::once_flag started_;
  Pages pages_;
  std::mutex mutex_;
  std::condition_variable filled_;  // or couldn't be
  std::condition_variable_any wanted_;
  std::vector<Window> windows_;
  std::vector<Window*> free_;
  std::vector<std::jthread> readers_;  // the last member: they end before what they use does
};

// A range of a file, read by several threads at once.
class ReadAhead {
 public:
  ReadAhead(InputFile file, ByteRange range, std::shared_ptr<WindowPool> pool = WindowPool::shared());
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();

  // Copies the bytes at `offset`, within the range. Throws Error when the file hasn't them any more.
  void read_in_order(std::size_t offset, std::span<std::byte> to);
  void read_at_random(std::size_t offset, std::span<std::byte> to);

  // For tests: windows that hold a part of this file.
  [[nodiscard]] std::size_t filled_windows() const;

 private:
  [[nodiscard]] WindowPool& pool() const { return **pool_; }

  std::unique_ptr<std::shared_ptr<WindowPool>> pool_;  // can be let go of without being destroyed
  WindowPool::Contents contents_;
};

}  // namespace orthodict::files
