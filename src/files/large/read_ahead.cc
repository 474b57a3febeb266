// SPDX-License-Identifier: Apache-2.0
#include "files/large/read_ahead.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "memory/limits.h"
#include "orthodict/error.h"

namespace orthodict::files {
namespace {

constexpr std::size_t kAhead = 4;  // windows ahead of a thread
constexpr int kReaders = 4;        // disks are fastest with several requests in flight
constexpr std::size_t kFewestWindows = 2 * kAhead;
constexpr std::chrono::seconds kAbandonedAfter{1};  // an active window is used up in milliseconds

// For each thread: its current window, the windows ahead of it, and the window where it began, which it shares with the
// thread before it.
std::size_t most_windows() {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t most = kFewestWindows + threads * (kAhead + 2);
  return std::clamp(memory::memory_limit() / 16 / WindowPool::kWindowSize, kFewestWindows, most);
}

std::shared_ptr<WindowPool> make_pool() {
  for (std::size_t windows = most_windows();; windows = std::max(windows / 2, kFewestWindows)) {
    try {
      return std::make_shared<WindowPool>(windows, kReaders);
    } catch (const std::bad_alloc&) {
      if (windows == kFewestWindows) throw;
    }
  }
}

InputFile with_range(InputFile file, ByteRange range) {
  if (range.begin > range.end || range.end > file.size()) {
    throw data_error(file.name(), fmt::format("has {} bytes, but its samples need bytes {} to {}", file.size(),
                                              range.begin, range.end));
  }
  return file;
}

// Reads the aligned range around the requested bytes and copies these.
void read_around(const LargeFile& file, decltype(&LargeFile::read_in_order) read, std::size_t offset,
                 std::span<std::byte> to) {
  constexpr std::size_t kGrain = LargeFile::kGrain;
  const std::size_t begin = offset / kGrain * kGrain;
  const std::size_t size = (offset + to.size() - begin + kGrain - 1) / kGrain * kGrain;
  thread_local Pages pages;
  if (pages.size() < size || !pages.are_ours()) pages = Pages(size);
  (file.*read)(begin, {pages.data(), size});
  std::copy_n(pages.data() + (offset - begin), to.size(), to.data());
}

}  // namespace

std::shared_ptr<WindowPool> WindowPool::shared() {
  static std::mutex mutex;
  static std::weak_ptr<WindowPool> current;
  const std::scoped_lock lock(mutex);
  auto pool = current.lock();
  if (!pool || !pool->is_ours()) current = pool = make_pool();
  return pool;
}

WindowPool::WindowPool(std::size_t windows, int readers)
    : reader_count_(readers), pages_(windows * kWindowSize), windows_(windows) {
  for (std::size_t i = windows; i-- > 0;) {
    windows_[i].bytes = pages_.data() + i * kWindowSize;
    free_.push_back(&windows_[i]);
  }
}

void WindowPool::start_readers() {
  try {
    for (int i = 0; i < reader_count_; ++i) readers_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  } catch (const std::exception&) {
    // Too few threads mean less reading ahead.
  }
}

WindowPool::Contents::Contents(InputFile input, ByteRange bytes)
    : file(with_range(std::move(input), bytes)),
      range(bytes),
      windows(bytes.end / kWindowSize + 1),
      left(windows.size()) {
  begin_pass();
}

std::size_t WindowPool::Contents::bytes_in(std::size_t index) const {
  const std::size_t begin = std::max(index * kWindowSize, range.begin);
  return std::max(std::min((index + 1) * kWindowSize, range.end), begin) - begin;
}

bool WindowPool::Contents::ask_for(std::size_t index, std::size_t bytes) {
  if (left[index] < bytes) begin_pass();  // requested again: a new pass
  const bool is_first = left[index] == bytes_in(index);
  left[index] -= bytes;
  return is_first;
}

void WindowPool::Contents::begin_pass() {
  for (std::size_t index = 0; index < left.size(); ++index) left[index] = bytes_in(index);
}

WindowPool::Window* WindowPool::take(Contents& of, std::size_t index, std::size_t bytes) {
  std::call_once(started_, [this] { start_readers(); });
  Lock lock(mutex_);
  Window* window = nullptr;
  for (;;) {
    window = of.windows[index] != nullptr ? of.windows[index] : claim(of, index, 0);
    if (window == nullptr || window->state != State::kBeingRead) break;
    filled_.wait(lock);
  }
  const bool is_first = of.ask_for(index, bytes);
  if (window == nullptr) return nullptr;
  ++window->users;
  if (is_first) want_ahead(of, index);
  if (window->state == State::kWanted) fill(*window, lock);
  return window;
}

void WindowPool::give_back(Window& window) {
  const std::scoped_lock lock(mutex_);
  --window.users;
  window.touched = Clock::now();
  if (window.users == 0 && window.of->left[window.index] == 0) release(window);
}

void WindowPool::forget(Contents& of) {
  Lock lock(mutex_);
  for (Window& window : windows_) {
    filled_.wait(lock, [&] { return window.of != &of || window.state != State::kBeingRead; });
    if (window.of == &of) release(window);
  }
}

// Takes a free window if more than `reserve` are free, else one that was abandoned: untouched for a while, because its
// pass was stopped or this process read no further.
WindowPool::Window* WindowPool::claim(Contents& of, std::size_t index, std::size_t reserve) {
  if (free_.size() <= reserve) {
    Window* const oldest =
        find_oldest([](const Window& w) { return w.of != nullptr && w.state != State::kBeingRead && w.users == 0; });
    if (oldest == nullptr || Clock::now() - oldest->touched < kAbandonedAfter) return nullptr;
    release(*oldest);
  }
  Window* const window = free_.back();
  free_.pop_back();
  window->of = &of;
  window->index = index;
  window->state = State::kWanted;
  window->touched = Clock::now();
  of.windows[index] = window;
  return window;
}

void WindowPool::release(Window& window) {
  window.of->windows[window.index] = nullptr;
  window.of = nullptr;
  free_.push_back(&window);
}

// Queues the next sections for the readers, except those that are in a window or have been used in this pass by a
// thread further on. A quarter of the windows is reserved for sections that weren't read ahead.
void WindowPool::want_ahead(Contents& of, std::size_t index) {
  const std::size_t last = std::min(index + kAhead, (of.range.end - 1) / kWindowSize);
  for (std::size_t next = index + 1; next <= last; ++next) {
    if (of.left[next] == 0 || of.windows[next] != nullptr) continue;
    if (claim(of, next, windows_.size() / 4) == nullptr) return;
    wanted_.notify_one();
  }
}

// Reads a wanted window. Called and returns with the lock held, but releases it while reading.
void WindowPool::fill(Window& window, Lock& lock) {
  window.state = State::kBeingRead;
  lock.unlock();
  try {
    window.of->file.read_in_order(window.index * kWindowSize, {window.bytes, kWindowSize});
  } catch (...) {
    lock.lock();
    window.state = State::kWanted;
    window.users = 0;
    release(window);
    filled_.notify_all();
    throw;
  }
  lock.lock();
  window.state = State::kRead;
  window.touched = Clock::now();
  filled_.notify_all();
}

void WindowPool::serve(const std::stop_token& stop) {
  const auto is_wanted = [](const Window& w) { return w.of != nullptr && w.state == State::kWanted; };
  Lock lock(mutex_);
  for (;;) {
    Window* next = nullptr;
    wanted_.wait(lock, stop, [&] { return (next = find_oldest(is_wanted)) != nullptr; });
    if (stop.stop_requested()) return;
    try {
      fill(*next, lock);
    } catch (const std::exception&) {
      // The thread that needs this window reads it again and throws the error.
    }
  }
}

template <typename Condition>
WindowPool::Window* WindowPool::find_oldest(const Condition& condition) {
  Window* oldest = nullptr;
  for (Window& window : windows_) {
    if (condition(window) && (oldest == nullptr || window.touched < oldest->touched)) oldest = &window;
  }
  return oldest;
}

ReadAhead::ReadAhead(InputFile file, ByteRange range, std::shared_ptr<WindowPool> pool)
    : pool_(std::make_unique<std::shared_ptr<WindowPool>>(std::move(pool))), contents_(std::move(file), range) {}

// In a forked child the pool's lock may be held forever and its threads don't exist, so the pool is leaked.
ReadAhead::~ReadAhead() {
  if (pool().is_ours()) {
    pool().forget(contents_);
  } else {
    static_cast<void>(pool_.release());
  }
}

void ReadAhead::read_in_order(std::size_t offset, std::span<std::byte> to) {
  while (!to.empty()) {
    const std::size_t within = offset % WindowPool::kWindowSize;
    const std::span<std::byte> part = to.first(std::min(to.size(), WindowPool::kWindowSize - within));
    const std::size_t index = offset / WindowPool::kWindowSize;
    auto* const window = pool().is_ours() ? pool().take(contents_, index, part.size()) : nullptr;
    if (window != nullptr) {
      std::copy_n(window->bytes + within, part.size(), part.data());
      pool().give_back(*window);
    } else {
      read_around(contents_.file, &LargeFile::read_in_order, offset, part);
    }
    offset += part.size();
    to = to.subspan(part.size());
  }
}

void ReadAhead::read_at_random(std::size_t offset, std::span<std::byte> to) {
  read_around(contents_.file, &LargeFile::read_at_random, offset, to);
}

std::size_t ReadAhead::filled_windows() const {
  const std::scoped_lock lock(pool().mutex_);
  const auto& windows = contents_.windows;
  return static_cast<std::size_t>(std::count_if(windows.begin(), windows.end(), [](const auto* window) {
    return window != nullptr && window->state == WindowPool::State::kRead;
  }));
}

}  // namespace orthodict::files
