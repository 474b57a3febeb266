// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/input_file.h"

namespace orthodict::formats {

struct Format;

// The file of an OpenedSource: open, and with what its name and its first bytes tell.
struct SourceFile {
  static constexpr std::size_t kStart = 32;  // as many bytes as any format is told by

  files::InputFile file;
  std::string member;            // the array in the file; empty where the name has none
  std::vector<std::byte> start;  // the first kStart bytes, or all
  const Format* format;          // by the name, or else by the first bytes; null if neither tells
};

}  // namespace orthodict::formats
