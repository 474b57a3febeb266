// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <mutex>

namespace orthodict::data {

// Held while HDF5 (or matio, which uses it) is called: the library is neither thread-safe in Debian's build nor silent.
// Its error printing is turned off for the session and put back after.
class Hdf5Session {
 public:
  Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;
  ~Hdf5Session();

 private:
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_argument_ = nullptr;
};

}  // namespace orthodict::data
