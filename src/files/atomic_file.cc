// SPDX-License-Identifier: Apache-2.0
#include "files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "files/file_descriptor.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::files {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 18;

Error system_error(const std::string& path, const std::string& what) {
  return data_error(path, what + ": " + text::system_message(errno));
}

// Resolves symbolic links in `path`, whose target needn't exist.
std::string resolve_links(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  std::filesystem::path target = path;
  for (int i = 0; std::filesystem::is_symlink(target, error); ++i) {
    if (i == kMostLinks) throw data_error(path, "too many symbolic links");
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) throw data_error(path, "cannot be followed: " + error.message());
    target = target.parent_path() / next;  // `next` alone when it is absolute
  }
  return target.string();
}

std::optional<struct stat> status_of(const std::string& path, const std::string& target) {
  struct stat status = {};
  if (stat(target.c_str(), &status) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  throw system_error(path, "cannot be written");
}

std::string temporary_name(const std::string& folder) {
  static std::atomic<unsigned> counter = 0;
  return fmt::format("{}/.orthodict-{}-{}.tmp", folder, getpid(), counter++);
}

std::string folder_of(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  return folder.empty() ? "." : folder;
}

int open_tmpfile(const std::string& folder) { return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666); }

// Gives an unnamed file a temporary name and returns it. On failure returns an empty string and sets errno.
std::string link_in(const std::string& folder, int file) {
  std::string name;
  do {
    name = temporary_name(folder);
    if (linkat(AT_FDCWD, path_of(file).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return name;
  } while (errno == EEXIST);
  return {};
}

}  // namespace

AtomicFile::AtomicFile(const Output& output) : path_(output.name()) {
  if (output.descriptor()) {
    fd_ = *output.descriptor();
    return;
  }
  const std::string& path = output.name();
  const std::string target = resolve_links(path);
  const auto status = status_of(path, target);
  const bool exists = status.has_value();
  if (exists && S_ISDIR(status->st_mode)) throw data_error(path, "is a directory; need the name of a file");
  if (exists && !S_ISREG(status->st_mode)) {
    open_special(target);
    return;
  }
  if (exists && access(target.c_str(), W_OK) != 0) throw system_error(path, "cannot be written");
  open_temporary(target);
  if (exists) keep_mode(status->st_mode & 07777U);
}

void AtomicFile::check(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) {
    const AtomicFile probe(path);
  } else if (access(path.c_str(), W_OK) != 0) {
    throw system_error(path, "cannot be written");
  }
}

AtomicFile::~AtomicFile() {
  if (owns_fd_ && fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::open_special(const std::string& target) {
  fd_ = open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd_ < 0) throw system_error(path_, "cannot be written");
  owns_fd_ = true;
}

void AtomicFile::open_temporary(const std::string& target) {
  target_ = target;
  owns_fd_ = true;
  if (open_nameless()) return;
  do {
    temporary_ = temporary_name(folder_of(target_));
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ >= 0) return;
  temporary_.clear();
  throw system_error(path_, "cannot be written in folder " + text::shown(folder_of(target)));
}

// Opens fd_ as an unnamed file. Returns false if the file system doesn't support unnamed files or can't link them
// later, which is tested with another file.
bool AtomicFile::open_nameless() {
  const std::string folder = folder_of(target_);
  const FileDescriptor trial(open_tmpfile(folder));
  const std::string name = trial.get() < 0 ? "" : link_in(folder, trial.get());
  if (name.empty()) return false;
  unlink(name.c_str());
  fd_ = open_tmpfile(folder);
  is_nameless_ = fd_ >= 0;
  return is_nameless_;
}

// Syncs again after linking, since the sync of an unnamed file need not have recorded the link.
void AtomicFile::give_name() {
  temporary_ = link_in(folder_of(target_), fd_);
  if (temporary_.empty()) throw system_error(path_, "cannot be written in folder " + text::shown(folder_of(target_)));
  if (fsync(fd_) != 0 && errno != EINVAL) throw system_error(path_, "write failed");
}

// Ignores errors: a mode that can't be kept (another user's file, a file system without modes) must not fail the write.
void AtomicFile::keep_mode(unsigned mode) { [[maybe_unused]] const int ignored = fchmod(fd_, mode); }

void AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() <= kBufferSize) {
    buffer_.append(bytes);
    return;
  }
  flush();
  if (bytes.size() <= kBufferSize) {
    buffer_.append(bytes);
  } else {
    write_out(bytes);
  }
}

void AtomicFile::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void AtomicFile::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(path_, "write failed");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  flush();
  if (owns_fd_) close_checked();
  if (!temporary_.empty()) rename_over_target();
}

void AtomicFile::close_checked() {
  const bool synced = target_.empty() || fsync(fd_) == 0 || errno == EINVAL;  // EINVAL: can't be synced
  if (!synced) throw system_error(path_, "write failed");
  if (is_nameless_) give_name();
  const int fd = fd_;
  fd_ = -1;
  if (close(fd) != 0) throw system_error(path_, "write failed");
}

void AtomicFile::rename_over_target() {
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw system_error(path_, "cannot be replaced");
  temporary_.clear();
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // the data are in place; only the rename isn't synced
  fsync(folder);
  close(folder);
}

}  // namespace orthodict::files
