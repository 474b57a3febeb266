// SPDX-License-Identifier: Apache-2.0
#include "cut_off_file.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string_view>

#include "exit_code.h"

namespace orthodict::cli {
namespace {

// The following functions run in a signal handler: they must not allocate memory or take locks.

std::string_view memory_maps() {
  static std::array<char, std::size_t{1} << 17> text;
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::size_t size = 0;
  ssize_t got = 1;
  while (file >= 0 && got > 0 && size < text.size()) {
    got = read(file, text.data() + size, text.size() - size);
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  return {text.data(), size};
}

// The path of the file mapped at an address. Lines are "BEGIN-END RIGHTS OFFSET DEVICE NUMBER PATH".
std::string_view file_at(std::uintptr_t address, std::string_view maps) {
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const char* const line_end = line.data() + line.size();
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const char* const dash = std::from_chars(line.data(), line_end, begin, 16).ptr;
    if (dash != line_end) std::from_chars(dash + 1, line_end, end, 16);
    const std::size_t path = line.find('/');
    if (begin <= address && address < end && path != std::string_view::npos) return line.substr(path);
  }
  return "a mapped file";
}

void tell_of_cut_off_file(int /*signal*/, siginfo_t* info, void* /*context*/) {
  static std::atomic_flag is_reporting;
  while (is_reporting.test_and_set()) pause();  // several threads may get the signal
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  constexpr std::string_view kProgram = "orthodict: ";
  constexpr std::string_view kMessage = ": was truncated while it was read\n";
  const std::string_view file = file_at(address, memory_maps());
  const auto piece = [](std::string_view text) { return iovec{const_cast<char*>(text.data()), text.size()}; };
  const std::array message = {piece(kProgram), piece(file), piece(kMessage)};
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, message.data(), message.size());
  _exit(kBadData);
}

}  // namespace

void end_on_cut_off_file() {
  struct sigaction action = {};
  action.sa_sigaction = tell_of_cut_off_file;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace orthodict::cli
