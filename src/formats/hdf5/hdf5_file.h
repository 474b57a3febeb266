// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "files/scratch_file.h"
#include "formats/hdf5/isolation.h"
#include "orthodict/array.h"

namespace orthodict::formats {

// Held while HDF5 is called: Debian builds it neither thread-safe nor silent. Its error printing is turned off for the
// session and put back after.
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

// An HDF5 identifier with the function that closes it.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (valid()) close_(id_);
  }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  [[nodiscard]] hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// An HDF5 file open for reading, in a session of its own. Errors name its path. HDF5 crashes on some damaged files: it
// is to be used within read_isolated().
class Hdf5File {
 public:
  // Opens its path again; where another file is there by now that is an Error.
  Hdf5File(const files::InputFile& file, Storage storage);

  // "/group/name" of every dataset that hard links reach.
  [[nodiscard]] std::vector<std::string> dataset_names() const;
  // The dataset read whole into memory, in the native type that holds its values exactly.
  [[nodiscard]] Array read(const std::string& dataset) const;
  // Where the dataset lies, if it is large and not a scalar: in this file, if in one piece and in a type of this
  // machine, and else in the scratch file, to which it is then unpacked.
  [[nodiscard]] std::optional<files::ArrayInFile> locate_large(const std::string& dataset,
                                                               files::ScratchFile* scratch) const;
  // A text of fixed length; empty when there is no such attribute.
  [[nodiscard]] std::string text_attribute(const std::string& dataset, const std::string& attribute) const;
  [[nodiscard]] bool has_attribute(const std::string& dataset, const std::string& attribute) const;

 private:
  [[nodiscard]] Hdf5Handle open(const std::string& dataset) const;

  std::string path_;
  Storage storage_;
  std::size_t bytes_;
  Hdf5Session session_;
  Hdf5Handle file_;
};

}  // namespace orthodict::formats
