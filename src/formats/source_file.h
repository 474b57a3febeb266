// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/input_file.h"

namespace orthodict::formats {

struct Format;

// The open file of an OpenedSource, with the facts known from its name and first bytes.
struct SourceFile {
  static constexpr std::size_t kStart = 32;  // enough for the signature of every format

  files::InputFile file;
  std::string member;            // name of the array in the file; empty if none was given
  std::vector<std::byte> start;  // the first kStart bytes, or all if there are fewer
  const Format* format;          // by suffix, else by signature; null if unknown
};

}  // namespace orthodict::formats
