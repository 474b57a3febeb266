// SPDX-License-Identifier: Apache-2.0
#include "files/scratch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::files {
namespace {

// Not /tmp, which is a RAM disk on many machines.
std::string scratch_folder() {
  const char* const told = std::getenv("TMPDIR");
  return told != nullptr && *told != '\0' ? told : "/var/tmp";
}

// Some file systems don't support O_TMPFILE: create a named file and unlink it.
int open_nameless(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  std::string name = folder + "/.orthodict-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

ScratchFile::ScratchFile(std::string purpose)
    : purpose_(std::move(purpose)), folder_(scratch_folder()), file_(open_nameless(folder_)), open_error_(errno) {}

void ScratchFile::reserve(std::size_t bytes) {
  if (file_.get() < 0) fail("can't be made", open_error_);
  const int error = posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes));
  if (error != 0) fail(fmt::format("of {} can't be made", text::bytes_text(bytes)), error);
}

void ScratchFile::append(std::span<const std::byte> bytes) {
  const std::size_t begin = written_;
  while (!bytes.empty()) {
    const ssize_t some = pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(written_));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) fail("can't be written", errno);
    written_ += static_cast<std::size_t>(some);
    bytes = bytes.subspan(static_cast<std::size_t>(some));
  }
  // Waits for earlier writes while this one is in progress, so that at most one block of pages is dirty.
  const auto at = [](std::size_t offset) { return static_cast<off_t>(offset); };
  sync_file_range(file_.get(), at(begin), at(written_ - begin), SYNC_FILE_RANGE_WRITE);
  if (begin == on_disk_) return;
  constexpr unsigned kWait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  sync_file_range(file_.get(), at(on_disk_), at(begin - on_disk_), kWait);
  posix_fadvise(file_.get(), at(on_disk_), at(begin - on_disk_), POSIX_FADV_DONTNEED);
  on_disk_ = begin;
}

bool ScratchFile::is_used() const {
  struct stat status = {};
  return file_.get() >= 0 && fstat(file_.get(), &status) == 0 && status.st_size > 0;
}

InputFile ScratchFile::open() const { return {path_of(file_.get()), purpose_}; }

void ScratchFile::fail(const std::string& what, int error) const {
  throw data_error(purpose_, fmt::format("is too large for memory, and a temporary file in {} {}: {}; TMPDIR can name "
                                         "another folder",
                                         folder_, what, text::system_message(error)));
}

}  // namespace orthodict::files
