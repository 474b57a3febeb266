// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "data/uncached_file.h"

namespace orthodict::data {

struct FreeBytes {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeBytes>;
// As UncachedFile wants it; `size` is a multiple of its grain. Throws std::bad_alloc.
[[nodiscard]] AlignedBytes allocate_aligned(std::size_t size);

// Windows of files that are read in order, by threads that do nothing else, before those that compute come to them.
//
// Every byte of a file's range is asked for once in a pass, so a window whose bytes have all been copied makes room for
// another. Whoever asks for a window that nobody has begun to read reads it himself: more threads than windows, or a
// system that grants no threads to read, cost time alone.
class ReadAhead {
 public:
  static constexpr std::size_t kWindow = std::size_t{1} << 20;

  // The one of this process, which is there as long as somebody holds it: what windows take of memory is limited, and
  // files may be many.
  [[nodiscard]] static std::shared_ptr<ReadAhead> shared();

  ReadAhead(std::size_t windows, int readers);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Copies the bytes at `offset`, which the file has. Throws Error when it hasn't them any more.
  void read(const UncachedFile& file, std::size_t offset, std::span<std::byte> to);

  // To be called before a file goes: nothing of it is read or kept afterwards.
  void forget(const UncachedFile& file);

  // That hold some of a file, or will.
  [[nodiscard]] std::size_t windows_of(const UncachedFile& file);

 private:
  enum class State { kWanted, kBeingRead, kRead };
  struct Window {
    const UncachedFile* file = nullptr;  // none: the window is free
    std::size_t index = 0;
    State state = State::kWanted;
    std::uint64_t turn = 0;  // when it was claimed
    std::size_t unused = 0;  // bytes that haven't been copied yet
    int users = 0;           // who copy from it now
    std::byte* bytes = nullptr;
  };
  using Lock = std::unique_lock<std::mutex>;

  [[nodiscard]] Window& take(const UncachedFile& file, std::size_t index);
  void give_back(Window& window, std::size_t copied);
  void want_ahead(const UncachedFile& file, std::size_t index);
  void fill(Window& window, Lock& lock);
  void serve(const std::stop_token& stop);

  [[nodiscard]] Window* find(const UncachedFile& file, std::size_t index);
  [[nodiscard]] Window* find_or_claim(const UncachedFile& file, std::size_t index);
  [[nodiscard]] static bool is_idle(const Window& window);
  [[nodiscard]] Window* find_free();
  // Of those for which `condition` holds the one that was claimed first.
  template <typename Condition>
  [[nodiscard]] Window* find_oldest(const Condition& condition);
  void claim(Window& window, const UncachedFile& file, std::size_t index);

  AlignedBytes bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;  // a window was read, or is free
  std::condition_variable_any wanted_;
  std::vector<Window> windows_;
  std::map<const UncachedFile*, std::vector<bool>> used_up_;  // by window: all of it was copied in this pass
  std::uint64_t turns_ = 0;
  std::vector<std::jthread> readers_;  // the last member: they end before what they use does
};

}  // namespace orthodict::data
