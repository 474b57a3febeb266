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

// What DEFLATE can expand to at most, per byte: a file that promises more lies.
inline constexpr std::size_t kDeflateRatio = 1032;

// Bytes of an array of this shape; nothing when a dimension is negative or the product, zeros left out, exceeds Index.
[[nodiscard]] std::optional<std::size_t> array_bytes(std::span<const Index> shape, std::size_t element_size);

// Storage that isn't touched yet; as long as it lives is_large() counts it. Throws Error, naming `name`, for more than
// memory_limit(): what a hostile header asks for, and what would otherwise be granted now and kill the process later.
[[nodiscard]] std::shared_ptr<std::byte[]> allocate(const std::string& name, std::size_t bytes);
void require_memory(const std::string& name, std::size_t bytes);

// For what takes much, and is used at once: throws Error, naming `name`, for more than memory_left(), which the system
// would end the process for. Little is granted in any case.
void require_memory_left(const std::string& name, std::size_t bytes);

// Runs `body`; running out of memory in it becomes an Error that names `name`.
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
