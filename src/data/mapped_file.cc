// SPDX-License-Identifier: Apache-2.0
#include "data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "data/message.h"
#include "orthodict/error.h"

namespace orthodict::data {
namespace {

// Open for reading, and closed again: a mapping outlives its descriptor.
class Descriptor {
 public:
  // Not blocking, so that a FIFO is refused instead of waited for.
  explicit Descriptor(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (fd_ < 0) throw data_error(path, "cannot be opened: " + system_message(errno));
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(fd_); }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

std::size_t regular_file_size(const std::string& path, int fd) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) throw data_error(path, "cannot be examined: " + system_message(errno));
  if (S_ISDIR(status.st_mode)) throw data_error(path, "is a directory; need a file");
  if (!S_ISREG(status.st_mode)) throw data_error(path, "isn't a regular file; an .npy stream is read from \"-\"");
  if (status.st_size == 0) throw data_error(path, "is empty");
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(path);
  size_ = regular_file_size(path, file.get());
  void* mapping = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapping == MAP_FAILED) throw data_error(path, "cannot be mapped: " + system_message(errno));
  data_ = static_cast<const std::byte*>(mapping);
}

MappedFile::~MappedFile() { munmap(const_cast<std::byte*>(data_), size_); }

}  // namespace orthodict::data
