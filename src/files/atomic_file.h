// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "orthodict/output.h"

namespace orthodict::files {

// A file that appears under its name whole or not at all: written in the same folder without a name, where the file
// system has that, and else under a temporary one; commit() renames it, and the destructor removes it when there was no
// commit. A process that is killed leaves nothing then, unless while it renames. A symbolic link is followed and stays
// a link; the mode of a file that is replaced is kept. Descriptors, and special files such as /dev/null, are written
// directly. Every failure throws Error that names the output.
class AtomicFile {
 public:
  explicit AtomicFile(const Output& output);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Throws if the constructor would. A named pipe isn't opened: who reads from it would take that for its end.
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
  std::string target_;     // `path_` with links resolved; empty when written directly
  std::string temporary_;  // empty when there is none to remove
  bool is_nameless_ = false;
  std::string buffer_;
  int fd_ = -1;
  bool owns_fd_ = false;
};

}  // namespace orthodict::files
