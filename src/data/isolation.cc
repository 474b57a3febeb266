// SPDX-License-Identifier: Apache-2.0
#include "data/isolation.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <vector>

#include "data/allocation.h"
#include "data/file_descriptor.h"
#include "data/message.h"
#include "orthodict/error.h"

namespace orthodict::data {
namespace {

using Json = nlohmann::json;

std::shared_ptr<std::byte[]> map(int memory, std::size_t bytes, int protection) {
  void* const address = mmap(nullptr, bytes, protection, MAP_SHARED, memory, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte*>(address), [bytes](std::byte* at) { munmap(at, bytes); }};
}

// A crash is nobody's business but the caller's: no handlers of the host, no message, no core file.
void be_quiet() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

Json describe(const std::optional<ArrayInFile>& found) {
  if (!found) return {{"found", false}};
  const Array& array = found->array;
  return {{"found", true},
          {"type", static_cast<int>(array.type)},
          {"shape", array.shape},
          {"column_major", array.column_major},
          {"byte_swapped", array.byte_swapped},
          {"name", array.name},
          {"offset", found->offset},
          {"is_stored", array.data != nullptr}};
}

Json describe(const Error& error) { return {{"fault", static_cast<int>(error.fault())}, {"message", error.what()}}; }

// All that the process does.
void work(const std::string& path, const std::function<std::optional<ArrayInFile>(const Storage&)>& read, int memory,
          int report) {
  be_quiet();
  const Storage storage = [memory](const std::string& name, std::size_t bytes) {
    require_memory(name, bytes);
    const std::size_t some = std::max<std::size_t>(bytes, 1);
    if (ftruncate(memory, static_cast<off_t>(some)) != 0) throw std::bad_alloc();
    return map(memory, some, PROT_READ | PROT_WRITE);
  };
  Json result;
  try {
    result = describe(read(storage));
  } catch (const Error& error) {
    result = describe(error);
  } catch (const std::bad_alloc&) {
    result = describe(data_error(path, "not enough memory"));
  } catch (const std::exception& error) {
    result = describe(data_error(path, error.what()));
  }
  const std::string text = result.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t some = write(report, text.data() + sent, text.size() - sent);
    if (some < 0 && errno != EINTR) return;
    sent += static_cast<std::size_t>(std::max<ssize_t>(some, 0));
  }
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t some = read(fd, buffer.data(), buffer.size());
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(some));
  }
}

// Throws Json::exception where the process wrote nonsense before it died.
std::optional<ArrayInFile> interpret(const Json& result, int memory, const std::string& path) {
  if (result.contains("message")) {
    const int fault = std::clamp(result.at("fault").get<int>(), 0, static_cast<int>(Fault::kStopped));
    throw Error(static_cast<Fault>(fault), result.at("message").get<std::string>());
  }
  if (!result.at("found").get<bool>()) return std::nullopt;
  ArrayInFile found;
  Array& array = found.array;
  array.type =
      static_cast<ElementType>(std::clamp(result.at("type").get<int>(), 0, static_cast<int>(ElementType::kF64)));
  array.shape = result.at("shape").get<std::vector<Index>>();
  array.column_major = result.at("column_major").get<bool>();
  array.byte_swapped = result.at("byte_swapped").get<bool>();
  array.name = result.at("name").get<std::string>();
  found.offset = result.at("offset").get<std::size_t>();
  if (result.at("is_stored").get<bool>()) {
    struct stat status = {};
    const auto bytes = array_bytes(array.shape, element_size(array.type));
    if (!bytes || fstat(memory, &status) != 0 ||
        static_cast<std::size_t>(status.st_size) < std::max<std::size_t>(*bytes, 1)) {
      throw data_error(path, "damaged: what was read of it doesn't fit its shape");
    }
    auto data = map(memory, static_cast<std::size_t>(status.st_size), PROT_READ);
    array.data = data.get();
    array.owner = std::move(data);
  }
  return found;
}

}  // namespace

std::optional<ArrayInFile> read_isolated(
    const std::string& path, const std::function<std::optional<ArrayInFile>(const Storage& storage)>& read) {
  const FileDescriptor memory(memfd_create("orthodict", MFD_CLOEXEC));
  std::array<int, 2> ends = {-1, -1};
  const bool piped = pipe2(ends.data(), O_CLOEXEC) == 0;
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  const pid_t child = memory.get() >= 0 && piped ? fork() : -1;
  if (child < 0) throw data_error(path, "cannot be read in a process of its own: " + system_message(errno));
  if (child == 0) {
    work(path, read, memory.get(), to.get());
    _exit(0);
  }
  to.reset();
  const Json result = Json::parse(read_all(from.get()), nullptr, /*allow_exceptions=*/false);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  try {
    if (result.is_object()) return with_memory_errors(path, [&] { return interpret(result, memory.get(), path); });
  } catch (const Json::exception&) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    throw data_error(path, "the process that read it was killed: perhaps there isn't enough memory");
  }
  throw data_error(path, "damaged: the library that reads such files crashed on it");
}

}  // namespace orthodict::data
