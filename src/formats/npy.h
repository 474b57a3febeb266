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

// What the header of an .npy file says (versions 1.0, 2.0 and 3.0; numpy.lib.format).
struct NpyHeader {
  std::string descr;  // as written: "<f8"
  bool fortran_order = false;
  std::vector<Index> shape;
  std::size_t data_offset = 0;  // where the elements start

  // The parts of `descr`; kind is 0 when it isn't of the form order, letter, number.
  char byte_order = '|';
  char kind = 0;
  std::size_t item_size = 0;  // in bytes

  [[nodiscard]] bool byte_swapped() const;
};

// The bytes up to the elements, from the file's first kNpyPrefix bytes: how much to read before parse_npy_header.
inline constexpr std::size_t kNpyPrefix = 12;
[[nodiscard]] std::size_t npy_data_offset(std::span<const std::byte> prefix, const std::string& name);

// `bytes` hold at least the header. Throws Error, naming `name`, for everything that isn't one.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

// The numeric element type; Error naming the dtype when it is something else.
[[nodiscard]] ElementType npy_element_type(const NpyHeader& header, const std::string& name);

// Bytes of the elements; Error when shape and dtype give more than can be addressed.
[[nodiscard]] std::size_t npy_data_bytes(const NpyHeader& header, const std::string& name);

// Checks that the elements which the header promises are there, and nothing behind them.
inline constexpr std::size_t kUnknownSize = std::numeric_limits<std::size_t>::max();  // of a stream
void require_npy_data(const NpyHeader& header, std::size_t file_bytes, const std::string& name);

// The array in `bytes`, which `owner` keeps alive; nothing is copied.
[[nodiscard]] Array npy_array(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& name);
[[nodiscard]] Array read_npy(const files::InputFile& file);
// Where its elements are, for those that don't fit in memory.
[[nodiscard]] files::ArrayInFile locate_npy(const files::InputFile& file);
// Everything but the elements, which come next from the descriptor. An Error where a stop is requested meanwhile.
[[nodiscard]] Array read_npy_stream_header(int descriptor, const std::string& name, const std::stop_token& stop = {});

// Header of version 1.0, padded to a multiple of 64 bytes, for row-major elements in this machine's byte order;
// `type_code` is numpy's: "f8", "i4", "U12".
[[nodiscard]] std::string npy_header_text(const std::string& type_code, std::span<const Index> shape);

}  // namespace orthodict::formats
