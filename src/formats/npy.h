// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "files/array_in_file.h"
#include "files/input_file.h"
#include "orthodict/array.h"
#include "orthodict/types.h"

namespace orthodict::formats {

// The header of an .npy file (versions 1.0, 2.0 and 3.0; numpy.lib.format).
struct NpyHeader {
  std::string descr;  // as written: "<f8"
  bool fortran_order = false;
  std::vector<Index> shape;
  std::size_t data_offset = 0;  // offset of the first element in bytes

  // The parts of `descr`; kind is 0 if `descr` isn't byte order, letter, number.
  char byte_order = '|';
  char kind = 0;
  std::size_t item_size = 0;  // in bytes

  [[nodiscard]] bool byte_swapped() const;
};

// The size of the header, which the first kNpyPrefix bytes tell: read this much before calling parse_npy_header().
inline constexpr std::size_t kNpyPrefix = 12;
[[nodiscard]] std::size_t npy_data_offset(std::span<const std::byte> prefix, const std::string& name);

// `bytes` contains at least the header. Throws Error that names `name` if the header is invalid.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

// Throws Error that names the dtype if it isn't numeric.
[[nodiscard]] ElementType npy_element_type(const NpyHeader& header, const std::string& name);

// The size of the elements in bytes. Throws Error if it exceeds the address space.
[[nodiscard]] std::size_t npy_data_bytes(const NpyHeader& header, const std::string& name);

// Throws Error unless the file has exactly the elements that the header promises.
inline constexpr std::size_t kUnknownSize = std::numeric_limits<std::size_t>::max();  // for streams
void require_npy_data(const NpyHeader& header, std::size_t file_bytes, const std::string& name);

// The array in `bytes`, not copied. `owner` keeps `bytes` alive.
[[nodiscard]] Array npy_array(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& name);
[[nodiscard]] Array read_npy(const files::InputFile& file);
// The location of the elements in the file, for arrays that don't fit in memory.
[[nodiscard]] files::ArrayInFile locate_npy(const files::InputFile& file);
// Reads the header from a descriptor, whose next bytes are then the elements. A stop request is an Error.
[[nodiscard]] Array read_npy_stream_header(int descriptor, const std::string& name, const std::stop_token& stop = {});

// A header of version 1.0, padded to a multiple of 64 bytes, for row-major elements in this machine's byte order.
// `type_code` is NumPy's: "f8", "i4", "U12".
[[nodiscard]] std::string npy_header_text(const std::string& type_code, std::span<const Index> shape);

}  // namespace orthodict::formats
