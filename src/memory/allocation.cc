// SPDX-License-Identifier: Apache-2.0
#include "memory/allocation.h"

#include <algorithm>
#include <limits>

#include "memory/limits.h"
#include "text/message.h"

namespace orthodict::memory {
namespace {

// Allocated bytes that are counted (CountedBytes) for the object's lifetime.
struct Room {
  explicit Room(std::size_t size)
      : counted(size), bytes(std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, size))) {}

  CountedBytes counted;
  std::unique_ptr<std::byte[]> bytes;
};

[[noreturn]] void refuse(const std::string& name, std::size_t bytes, std::size_t most) {
  throw data_error(
      name, "needs " + text::bytes_text(bytes) + " of memory, but only " + text::bytes_text(most) + " are available");
}

}  // namespace

std::optional<std::size_t> array_bytes(std::span<const Index> shape, std::size_t element_size) {
  Index product = std::max<Index>(1, static_cast<Index>(element_size));
  bool empty = element_size == 0;
  for (const Index extent : shape) {
    if (extent < 0) return std::nullopt;
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(product, std::max<Index>(1, extent), &product)) return std::nullopt;
  }
  return empty ? 0 : static_cast<std::size_t>(product);
}

void require_memory(const std::string& name, std::size_t bytes) {
  if (bytes > memory_limit()) refuse(name, bytes, memory_limit());
}

void require_memory_left(const std::string& name, std::size_t bytes) {
  constexpr std::size_t kLittle = std::size_t{1} << 24;
  const std::size_t left = memory_left();
  if (bytes > std::max(left, kLittle)) refuse(name, bytes, left);
}

std::shared_ptr<std::byte[]> allocate(const std::string& name, std::size_t bytes) {
  require_memory(name, bytes);
  return with_memory_errors(name, [&] {
    const auto room = std::make_shared<Room>(bytes);
    return std::shared_ptr<std::byte[]>(room, room->bytes.get());
  });
}

}  // namespace orthodict::memory
