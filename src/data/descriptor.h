// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace orthodict::data {

// A regular file, open for reading. Throws Error, naming the path, for what can't be opened, isn't a regular file or is
// empty.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] std::size_t size() const { return size_; }  // of the file, when it was opened

  // Reads the bytes at `offset`; throws Error when the file hasn't them any more.
  void read(std::size_t offset, std::span<std::byte> to) const;
  // The first bytes of the file: so many, or all that it has.
  [[nodiscard]] std::vector<std::byte> start(std::size_t count) const;

 private:
  std::string path_;
  int fd_;
  std::size_t size_ = 0;
};

// Reads from a pipe, or whatever else a descriptor is of. Bytes read: fewer than asked for where it ends, or soon after
// a stop is requested. Throws Error, naming `name`.
std::size_t read_stream(int descriptor, std::span<std::byte> to, const std::string& name,
                        const std::stop_token& stop = {});

}  // namespace orthodict::data
