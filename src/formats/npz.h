// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/mapped_file.h"
#include "orthodict/array.h"
#include "orthodict/types.h"

namespace orthodict::formats {

// An .npz file: a zip archive (stored or deflated) of .npy files. Members are read on request. Entries whose names
// don't end in .npy are ignored.
class NpzFile {
 public:
  explicit NpzFile(const files::InputFile& file);
  explicit NpzFile(const std::string& path) : NpzFile(files::InputFile(path)) {}
  // An archive in memory, which must outlive the arrays read from it. `name` is for messages.
  NpzFile(std::span<const std::byte> bytes, std::string name);

  [[nodiscard]] std::vector<std::string> names() const;  // without ".npy", in the order of the archive
  [[nodiscard]] bool contains(const std::string& name) const;
  [[nodiscard]] Array array(const std::string& name) const;
  // A 0-d array of type <U… or |S…, as UTF-8.
  [[nodiscard]] std::string text(const std::string& name) const;

 private:
  struct Member {
    std::string name;
    std::uint64_t index = 0;  // in the archive
  };
  struct Contents {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
  };
  void list_members();
  [[nodiscard]] Contents read(const std::string& name) const;

  std::string path_;
  std::shared_ptr<const files::MappedFile> file_;  // null for an archive in memory
  std::span<const std::byte> bytes_;
  std::vector<Member> members_;
};

// Builds an .npz in memory. Members are stored in the order of the calls, with a fixed date, so that equal contents
// give equal bytes.
class NpzBuilder {
 public:
  void add(const std::string& name, const RowMatrix<double>& matrix);
  void add(const std::string& name, const Vector<double>& vector);
  void add(const std::string& name, std::span<const float> values);
  void add(const std::string& name, std::span<const double> values);
  void add(const std::string& name, std::span<const std::int32_t> values);
  void add(const std::string& name, std::span<const std::int64_t> values);
  // Rows of complex numbers, as real and imaginary parts in neighbouring columns; or a vector of them.
  void add_complex(const std::string& name, const RowMatrix<double>& interleaved);
  void add_complex(const std::string& name, const Vector<double>& interleaved);
  void add_text(const std::string& name, const std::string& utf8);    // 0-d <U…
  void add_bytes(const std::string& name, const std::string& ascii);  // 0-d |S…
  [[nodiscard]] std::string finish() const;                           // the bytes of the archive

 private:
  std::vector<std::pair<std::string, std::string>> members_;  // name.npy, its bytes
};

}  // namespace orthodict::formats
