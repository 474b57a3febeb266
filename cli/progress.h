// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace orthodict::cli {

// A progress line on standard error, overwritten in place. Prints nothing unless that is a terminal.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // clears the line

  void show(const std::string& text);  // at most ten times a second
  void show_share(const std::string& what, long long done, long long all);

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace orthodict::cli
