// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>

#include "orthodict/export.h"

namespace orthodict {

// A destination: a file, which is written atomically, or an open descriptor.
class ORTHODICT_EXPORT Output {
 public:
  // `path` is text or a std::filesystem::path.
  template <std::convertible_to<std::string> Path>
  Output(const Path& path) : name_(static_cast<std::string>(path)) {}  // NOLINT(google-explicit-constructor)
  // A pipe, a socket or standard output, which is written directly and stays open. `name` is for messages.
  Output(int descriptor, std::string name) : name_(std::move(name)), descriptor_(descriptor) {}

  [[nodiscard]] const std::string& name() const { return name_; }  // the path, or the name for messages
  [[nodiscard]] std::optional<int> descriptor() const { return descriptor_; }

 private:
  std::string name_;
  std::optional<int> descriptor_;
};

}  // namespace orthodict
