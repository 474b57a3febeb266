// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/mapped_file.h"
#include "orthodict/array.h"
#include "orthodict/types.h"

namespace orthodict::formats {

// The header of a variable in a MATLAB v5 file ("MAT-File Format", The MathWorks, chapter 1).
struct Mat5Variable {
  std::string name;
  std::uint32_t matlab_class = 0;
  bool complex = false;
  std::vector<Index> shape;
  bool compressed = false;
  std::span<const std::byte> element;  // the matrix's subelements, or the zlib stream of tag and matrix
};

[[nodiscard]] bool is_mat5_numeric(const Mat5Variable& variable);         // full, numeric
[[nodiscard]] std::string mat5_class_name(const Mat5Variable& variable);  // "double", "sparse", "complex double"

// Reads a MATLAB v5 file in place. Of compressed variables only the headers are inflated until one is read. Every size
// is checked against the available bytes. Errors name `path`.
class Mat5File {
 public:
  Mat5File(std::shared_ptr<const files::MappedFile> file, const std::string& path);
  [[nodiscard]] const std::vector<Mat5Variable>& variables() const { return variables_; }
  [[nodiscard]] Array read(const Mat5Variable& variable) const;

 private:
  void add_variable(std::uint32_t type, std::span<const std::byte> element);

  std::string path_;
  std::shared_ptr<const files::MappedFile> file_;
  bool big_endian_ = false;
  std::vector<Mat5Variable> variables_;
};

}  // namespace orthodict::formats
