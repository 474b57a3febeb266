// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/isolation.h"

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
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "files/file_descriptor.h"
#include "memory/allocation.h"
#include "memory/limits.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

using Json = nlohmann::json;

// A range of memory that is shared with the child process, counted against the memory limit while it exists.
class Mapping {
 public:
  Mapping(int memory, std::size_t bytes, int protection)
      : address_(mmap(nullptr, bytes, protection, MAP_SHARED, memory, 0)), bytes_(bytes), counted_(bytes) {
    if (address_ == MAP_FAILED) throw std::bad_alloc();
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(address_, bytes_); }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(address_); }

 private:
  void* address_;
  std::size_t bytes_;
  memory::CountedBytes counted_;
};

std::shared_ptr<std::byte[]> map(int memory, std::size_t bytes, int protection) {
  const auto mapping = std::make_shared<Mapping>(memory, bytes, protection);
  return {mapping, mapping->data()};
}

// A forked process, which is killed with this object.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ < 0) return;
    kill(process_, SIGKILL);
    wait();
  }
  // Waits for its end and returns its status. Must be called at most once.
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_;
};

// Many times the time that unpacking takes on a slow machine.
std::chrono::seconds time_for(std::size_t bytes) {
  constexpr std::size_t kBytesPerSecond = 10'000'000;
  return std::chrono::seconds(bytes / kBytesPerSecond);
}

std::chrono::seconds time_for_file(const std::string& path) {
  constexpr std::chrono::seconds kLeast{60};
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return kLeast + (error ? std::chrono::seconds(0) : time_for(bytes));
}

// Lets SIGXCPU end this process after that much processor time.
void limit_time(std::chrono::seconds time) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(time.count()));
  setrlimit(RLIMIT_CPU, &limit);
}

// Makes this process die silently: without signal handlers of the host, messages or a core file.
void be_quiet() {
  std::set_terminate(std::abort);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGXCPU}) std::signal(signal, SIG_DFL);
  sigset_t deadline;
  sigemptyset(&deadline);
  sigaddset(&deadline, SIGXCPU);
  pthread_sigmask(SIG_UNBLOCK, &deadline, nullptr);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

Json describe(const std::optional<files::ArrayInFile>& found) {
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

// Describes the result of `read`, or its exception.
Json result_of(const std::string& path, const std::function<std::optional<files::ArrayInFile>(const Storage&)>& read,
               const Storage& storage) {
  try {
    return describe(read(storage));
  } catch (const Error& error) {
    return describe(error);
  } catch (const std::bad_alloc&) {
    return describe(data_error(path, "not enough memory"));
  } catch (const std::exception& error) {
    return describe(data_error(path, error.what()));
  }
}

void send(const std::string& text, int to) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t some = write(to, text.data() + sent, text.size() - sent);
    if (some < 0 && errno != EINTR) return;
    sent += static_cast<std::size_t>(std::max<ssize_t>(some, 0));
  }
}

// The main function of the child process. Must neither return nor throw into the caller's code. Exceptions other than
// std::exception, or while describing results, crash the process.
[[noreturn]] void work(const std::string& path,
                       const std::function<std::optional<files::ArrayInFile>(const Storage&)>& read, int memory,
                       int report, std::chrono::seconds time) noexcept {
  be_quiet();
  limit_time(time);
  const Storage storage = [memory](const std::string& name, std::size_t bytes) {
    memory::require_memory(name, bytes);
    const std::size_t some = std::max<std::size_t>(bytes, 1);
    if (ftruncate(memory, static_cast<off_t>(some)) != 0) throw std::bad_alloc();
    return map(memory, some, PROT_READ | PROT_WRITE);
  };
  send(result_of(path, read, storage).dump(-1, ' ', false, Json::error_handler_t::replace), report);
  _exit(0);
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

// Throws Json::exception if the process wrote an invalid result before it died.
std::optional<files::ArrayInFile> interpret(const Json& result, int memory, const std::string& path) {
  if (result.contains("message")) {
    const int fault = std::clamp(result.at("fault").get<int>(), 0, static_cast<int>(Fault::kStopped));
    throw Error(static_cast<Fault>(fault), result.at("message").get<std::string>());
  }
  if (!result.at("found").get<bool>()) return std::nullopt;
  files::ArrayInFile found;
  Array& array = found.array;
  array.type =
      static_cast<ElementType>(std::clamp(result.at("type").get<int>(), 0, static_cast<int>(ElementType::kC128)));
  array.shape = result.at("shape").get<std::vector<Index>>();
  array.column_major = result.at("column_major").get<bool>();
  array.byte_swapped = result.at("byte_swapped").get<bool>();
  array.name = result.at("name").get<std::string>();
  found.offset = result.at("offset").get<std::size_t>();
  const auto bytes = memory::array_bytes(array.shape, element_size(array.type));
  const auto misfit = [&] { return data_error(path, "damaged: its contents don't match its shape"); };
  if (!bytes) throw misfit();
  if (result.at("is_stored").get<bool>()) {
    struct stat status = {};
    const std::size_t fewest = std::max<std::size_t>(*bytes, 1);
    if (fstat(memory, &status) != 0 || static_cast<std::size_t>(status.st_size) < fewest) throw misfit();
    auto data = map(memory, static_cast<std::size_t>(status.st_size), PROT_READ);
    array.data = data.get();
    array.owner = std::move(data);
  }
  return found;
}

// The error for a process that ended without a result.
Error error_of_death(int status, const std::string& path) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGKILL) {
    return data_error(path, "the process that read it was killed, perhaps for lack of memory");
  }
  if (signal == SIGXCPU)
    return data_error(path, "damaged: reading it takes longer than it should for any file of this size");
  return data_error(path, "damaged: the library that reads such files crashed on it");
}

}  // namespace

void allow_time_for(std::size_t bytes) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  limit.rlim_cur = std::min(limit.rlim_max, limit.rlim_cur + static_cast<rlim_t>(time_for(bytes).count()));
  setrlimit(RLIMIT_CPU, &limit);
}

std::optional<files::ArrayInFile> read_isolated(
    const std::string& path, const std::function<std::optional<files::ArrayInFile>(const Storage& storage)>& read,
    std::optional<std::chrono::seconds> time) {
  if (!time) time = time_for_file(path);
  const files::FileDescriptor memory(memfd_create("orthodict", MFD_CLOEXEC));
  std::array<int, 2> ends = {-1, -1};
  const bool piped = pipe2(ends.data(), O_CLOEXEC) == 0;
  const files::FileDescriptor from(ends[0]);
  files::FileDescriptor to(ends[1]);
  const pid_t process = memory.get() >= 0 && piped ? fork() : -1;
  if (process < 0) throw data_error(path, "cannot be read in a child process: " + text::system_message(errno));
  if (process == 0) work(path, read, memory.get(), to.get(), *time);
  Child child(process);
  to.reset();
  const Json result = Json::parse(read_all(from.get()), nullptr, /*allow_exceptions=*/false);
  const int status = child.wait();
  try {
    if (result.is_object())
      return memory::with_memory_errors(path, [&] { return interpret(result, memory.get(), path); });
  } catch (const Json::exception&) {
  }
  throw error_of_death(status, path);
}

}  // namespace orthodict::formats
