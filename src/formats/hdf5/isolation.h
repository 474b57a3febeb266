// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "files/array_in_file.h"

namespace orthodict::formats {

// Gives room for so many bytes; `name` is for messages.
using Storage = std::function<std::shared_ptr<std::byte[]>(const std::string& name, std::size_t bytes)>;

// Runs `read` in a process of its own: a damaged file can crash some libraries, or keep them busy forever. What it
// returns is returned, with its elements if these are in the storage, for which `read` asks once at most; what it
// throws is thrown, as an Error. A crash is an Error that names `path`, and so is taking more than `time` of the
// processor, which is ample for a file of that size if left out. No process is left behind.
[[nodiscard]] std::optional<files::ArrayInFile> read_isolated(
    const std::string& path, const std::function<std::optional<files::ArrayInFile>(const Storage& storage)>& read,
    std::optional<std::chrono::seconds> time = std::nullopt);

// For `read` to call once it knows how many bytes a file unpacks to: it gets as much more time as these may take.
void allow_time_for(std::size_t bytes);

}  // namespace orthodict::formats
