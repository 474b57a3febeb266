// SPDX-License-Identifier: Apache-2.0
#include "data/read_ahead.h"

#include <algorithm>
#include <new>
#include <system_error>

#include "data/memory_limit.h"

namespace orthodict::data {
namespace {

constexpr std::size_t kAhead = 4;  // windows, from where a thread is
constexpr int kReaders = 4;        // disks want several requests at a time

std::size_t default_windows() {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t least = 2 * kAhead;
  // For each thread where it is, what is ahead of it, and where it began, which another one comes to later.
  return std::clamp(memory_limit() / 16 / ReadAhead::kWindow, least, least + threads * (kAhead + 2));
}

}  // namespace

AlignedBytes allocate_aligned(std::size_t size) {
  AlignedBytes bytes(static_cast<std::byte*>(std::aligned_alloc(UncachedFile::kGrain, size)));
  if (!bytes) throw std::bad_alloc();
  return bytes;
}

std::shared_ptr<ReadAhead> ReadAhead::shared() {
  static std::mutex mutex;
  static std::weak_ptr<ReadAhead> current;
  const std::scoped_lock lock(mutex);
  auto shared = current.lock();
  if (!shared) current = shared = std::make_shared<ReadAhead>(default_windows(), kReaders);
  return shared;
}

ReadAhead::ReadAhead(std::size_t windows, int readers)
    : bytes_(allocate_aligned(windows * kWindow)), windows_(windows) {
  for (std::size_t i = 0; i < windows; ++i) windows_[i].bytes = bytes_.get() + i * kWindow;
  try {
    for (int i = 0; i < readers; ++i) readers_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  } catch (const std::system_error&) {
    // The system grants no more threads.
  }
}

void ReadAhead::read(const UncachedFile& file, std::size_t offset, std::span<std::byte> to) {
  while (!to.empty()) {
    const std::size_t within = offset % kWindow;
    const std::size_t count = std::min(to.size(), kWindow - within);
    Window& window = take(file, offset / kWindow);
    std::copy_n(window.bytes + within, count, to.data());
    give_back(window, count);
    offset += count;
    to = to.subspan(count);
  }
}

void ReadAhead::forget(const UncachedFile& file) {
  Lock lock(mutex_);
  for (Window& window : windows_) {
    if (window.file != &file) continue;
    changed_.wait(lock, [&] { return window.file != &file || window.state != State::kBeingRead; });
    if (window.file == &file) window.file = nullptr;
  }
  used_up_.erase(&file);
  changed_.notify_all();
}

std::size_t ReadAhead::windows_of(const UncachedFile& file) {
  const std::scoped_lock lock(mutex_);
  const auto held = std::count_if(windows_.begin(), windows_.end(), [&](const Window& w) { return w.file == &file; });
  return static_cast<std::size_t>(held);
}

bool ReadAhead::is_idle(const Window& window) { return window.state != State::kBeingRead && window.users == 0; }

ReadAhead::Window& ReadAhead::take(const UncachedFile& file, std::size_t index) {
  Lock lock(mutex_);
  for (;;) {
    Window* window = find_or_claim(file, index);
    if (window != nullptr && window->state != State::kBeingRead) {
      ++window->users;  // from here on nobody else claims it
      want_ahead(file, index);
      if (window->state == State::kWanted) fill(*window, lock);
      return *window;
    }
    changed_.wait(lock);
  }
}

void ReadAhead::give_back(Window& window, std::size_t copied) {
  const std::scoped_lock lock(mutex_);
  --window.users;
  window.unused -= std::min(copied, window.unused);
  if (window.users > 0) return;
  if (window.unused == 0) {
    used_up_[window.file][window.index] = true;
    window.file = nullptr;
  }
  changed_.notify_all();
}

// Neither what is there, nor what another thread that is further has used up in this pass. A window that is asked for
// although it was used up tells that another pass has begun. Free windows alone are taken: what was read ahead for
// another thread isn't lost.
void ReadAhead::want_ahead(const UncachedFile& file, std::size_t index) {
  std::vector<bool>& used_up = used_up_[&file];
  if (used_up.empty() || used_up[index]) used_up.assign(file.range().end / kWindow + 1, false);
  const std::size_t last = std::min(index + kAhead, (file.range().end - 1) / kWindow);
  for (std::size_t next = index + 1; next <= last; ++next) {
    if (used_up[next] || find(file, next) != nullptr) continue;
    Window* free = find_free();
    if (free == nullptr) return;
    claim(*free, file, next);
    wanted_.notify_one();
  }
}

// Reads a window that is wanted. The lock is held before and after, but not meanwhile.
void ReadAhead::fill(Window& window, Lock& lock) {
  window.state = State::kBeingRead;
  const std::size_t begin = window.index * kWindow;
  lock.unlock();
  try {
    window.file->read(begin, {window.bytes, kWindow});
  } catch (...) {
    lock.lock();
    window.file = nullptr;
    window.state = State::kWanted;
    window.users = 0;
    changed_.notify_all();
    throw;
  }
  lock.lock();
  const ByteRange used = window.file->range();
  window.unused = std::min(begin + kWindow, used.end) - std::max(begin, used.begin);
  window.state = State::kRead;
  changed_.notify_all();
}

void ReadAhead::serve(const std::stop_token& stop) {
  Lock lock(mutex_);
  for (;;) {
    Window* next = nullptr;
    const auto is_wanted = [](const Window& w) { return w.file != nullptr && w.state == State::kWanted; };
    wanted_.wait(lock, stop, [&] { return (next = find_oldest(is_wanted)) != nullptr; });
    if (stop.stop_requested()) return;
    try {
      fill(*next, lock);
    } catch (const std::exception&) {
      // Whoever comes to this window reads it again, and has the error.
    }
  }
}

ReadAhead::Window* ReadAhead::find(const UncachedFile& file, std::size_t index) {
  const auto found = std::find_if(windows_.begin(), windows_.end(),
                                  [&](const Window& w) { return w.file == &file && w.index == index; });
  return found == windows_.end() ? nullptr : &*found;
}

// None where all are in use.
ReadAhead::Window* ReadAhead::find_or_claim(const UncachedFile& file, std::size_t index) {
  Window* window = find(file, index);
  if (window != nullptr) return window;
  window = find_free();
  if (window == nullptr) window = find_oldest(is_idle);
  if (window != nullptr) claim(*window, file, index);
  return window;
}

// A window that was claimed two rounds ago and isn't used up was left: by a pass that was stopped, or at the end of
// what this process has to read.
ReadAhead::Window* ReadAhead::find_free() {
  const auto found = std::find_if(windows_.begin(), windows_.end(), [](const Window& w) { return w.file == nullptr; });
  if (found != windows_.end()) return &*found;
  Window* oldest = find_oldest(is_idle);
  return oldest != nullptr && oldest->turn + 2 * windows_.size() < turns_ ? oldest : nullptr;
}

template <typename Condition>
ReadAhead::Window* ReadAhead::find_oldest(const Condition& condition) {
  Window* oldest = nullptr;
  for (Window& window : windows_) {
    if (condition(window) && (oldest == nullptr || window.turn < oldest->turn)) oldest = &window;
  }
  return oldest;
}

void ReadAhead::claim(Window& window, const UncachedFile& file, std::size_t index) {
  window.file = &file;
  window.index = index;
  window.state = State::kWanted;
  window.turn = turns_++;
}

}  // namespace orthodict::data
