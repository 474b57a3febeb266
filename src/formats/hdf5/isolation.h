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

// Allocates `bytes` bytes. `name` is for messages.
using Storage = std::function<std::shared_ptr<std::byte[]>(const std::string& name, std::size_t bytes)>;

// Runs `read` in a child process, because damaged files crash some libraries or keep them busy forever. Returns its
// result, including the elements if they are in the storage, which `read` may request at most once. Rethrows its
// exceptions as Error. A crash is an Error that names `path`, and so is using more processor time than `time`, whose
// default is ample for the size of the file. Leaves no process behind.
[[nodiscard]] std::optional<files::ArrayInFile> read_isolated(
    const std::string& path, const std::function<std::optional<files::ArrayInFile>(const Storage& storage)>& read,
    std::optional<std::chrono::seconds> time = std::nullopt);

// Called by `read` once it knows the unpacked size of the file: extends the limit on time accordingly.
void allow_time_for(std::size_t bytes);

}  // namespace orthodict::formats
