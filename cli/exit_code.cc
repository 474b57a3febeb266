// SPDX-License-Identifier: Apache-2.0
#include "exit_code.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "launch.h"
#include "orthodict/error.h"

namespace orthodict::cli {
namespace {

int exit_code(Fault fault) {
  switch (fault) {
    case Fault::kOption:
      return kBadUsage;
    case Fault::kStopped:
      return kInterrupted;
    case Fault::kData:
      break;
  }
  return kBadData;
}

}  // namespace

int complain(const std::string& program, const std::string& message, int code) {
  const Failure failure = failure_on_ranks();
  if (failure == Failure::kOfOneRank) {
    fmt::print(stderr, "{}: rank {}: {}\n", program, launch().rank, message);
    end_job(code);
  }
  if (launch().rank > 0 && !is_left_to_first_rank())
    fmt::print(stderr, "{}: rank {}: {}\n", program, launch().rank, message);
  if (launch().rank == 0) fmt::print(stderr, "{}: {}\n", program, message);
  return code;
}

int run_with_exit_code(const std::string& program, const std::function<int()>& work) {
  try {
    const int code = work();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return complain(program, fmt::format("standard output: {}", std::strerror(errno)), kBadData);
    }
    return code;
  } catch (const Error& error) {
    return complain(program, error.what(), exit_code(error.fault()));
  } catch (const std::bad_alloc&) {
    return complain(program,
                    "not enough memory (fit needs the least with --threads 1, and for a stream with a small --section)",
                    kBadData);
  } catch (const std::system_error& error) {
    const bool lacks_thread = error.code() == std::errc::resource_unavailable_try_again;
    return complain(program,
                    std::string(lacks_thread ? "cannot start a thread (ulimit -u, ulimit -v): " : "") + error.what(),
                    kBadData);
  } catch (const std::exception& error) {
    return complain(program, error.what(), kBadData);
  }
}

}  // namespace orthodict::cli
