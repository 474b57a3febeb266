// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "orthodict/error.h"
#include "orthodict/types.h"

namespace orthodict::memory {

// The maximum expansion of DEFLATE, per byte: a file that claims more is damaged.
inline constexpr std::size_t kDeflateRatio = 1032;

// The size in bytes of an array of this shape. Nothing if an extent is negative, or if the product of the non-zero
// extents overflows Index.
[[nodiscard]] std::optional<std::size_t> array_bytes(std::span<const Index> shape, std::size_t element_size);

// Allocates uninitialised storage, which is_large() counts for its lifetime. Throws Error, naming `name`, if the size
// exceeds memory_limit(): a hostile header may ask for any size, and the system may grant it now and kill the process
// later.
[[nodiscard]] std::shared_ptr<std::byte[]> allocate(const std::string& name, std::size_t bytes);
void require_memory(const std::string& name, std::size_t bytes);

// For large storage that is used at once. Throws Error, naming `name`, if the size exceeds memory_left(), since the
// system would kill the process. Small sizes are always granted.
void require_memory_left(const std::string& name, std::size_t bytes);

// Runs `body` and turns a lack of memory into an Error that names `name`.
template <typename Body>
auto with_memory_errors(const std::string& name, Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw data_error(name, "not enough memory");
  } catch (const std::length_error&) {
    throw data_error(name, "not enough memory");
  }
}

}  // namespace orthodict::memory
