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

// Locks HDF5, which Debian builds without thread safety, and disables its error printing for the lifetime of the
// object.
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

// An HDF5 file, open for reading, with its own session. Errors name its path. Use within read_isolated(), because HDF5
// crashes on some damaged files.
class Hdf5File {
 public:
  // Reopens the file by its path. Throws Error if the path now names another file.
  Hdf5File(const files::InputFile& file, Storage storage);

  // "/group/name" of every dataset that is reachable by hard links.
  [[nodiscard]] std::vector<std::string> dataset_names() const;
  // Reads the dataset into memory, as the native type that represents its values exactly.
  [[nodiscard]] Array read(const std::string& dataset) const;
  // Locates the elements of a dataset that is large and not a scalar: in this file if they are contiguous and of a
  // native type, else in the scratch file, to which they are unpacked.
  [[nodiscard]] std::optional<files::ArrayInFile> locate_large(const std::string& dataset,
                                                               files::ScratchFile* scratch) const;
  // A text of fixed length; empty if there is no such attribute.
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
