// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "orthodict/output.h"

namespace orthodict::files {

// Writes a file atomically. The data go to an unnamed file in the same folder (O_TMPFILE), or to a temporary name if
// the file system doesn't support that; commit() renames it to its final name. Without a commit the destructor removes
// it, and a killed process leaves no file behind unless it dies during the rename. Symbolic links are followed, and the
// mode of a replaced file is kept. Descriptors, and special files such as /dev/null, are written directly. Every
// failure throws Error that names the output.
class AtomicFile {
 public:
  explicit AtomicFile(const Output& output);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Throws the Error that the constructor would throw. Doesn't open a named pipe: its reader would see the end of file.
  static void check(const std::string& path);

  void write(std::string_view bytes);  // buffered
  void commit();

 private:
  void open_special(const std::string& target);
  void open_temporary(const std::string& target);
  bool open_nameless();
  void give_name();
  void keep_mode(unsigned mode);
  void flush();
  void write_out(std::string_view bytes);
  void close_checked();
  void rename_over_target();

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // `path_` with links resolved; empty if written directly
  std::string temporary_;  // empty if there is none to remove
  bool is_nameless_ = false;
  std::string buffer_;
  int fd_ = -1;
  bool owns_fd_ = false;
};

}  // namespace orthodict::files
