// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "orthodict/export.h"

namespace orthodict {

// The cause of an Error: invalid options, invalid data or files, or a stop request before there was anything to return.
enum class Fault { kOption, kData, kStopped };

// Thrown for invalid arguments, data and files. The message names the option, field or file, its value and the legal
// values. Numerical outcomes aren't errors: they are in the Summary.
class ORTHODICT_EXPORT Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  [[nodiscard]] Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

// "max_iterations = -3: must be an integer ≥ 0"
[[nodiscard]] inline Error option_error(const std::string& name, const std::string& value, const std::string& legal) {
  return {Fault::kOption, name + " = " + value + ": must be " + legal};
}

// "y.npy: truncated: header promises 800 bytes of data, 640 are there"
[[nodiscard]] inline Error data_error(const std::string& source, const std::string& what) {
  return {Fault::kData, source + ": " + what};
}

}  // namespace orthodict
