// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "orthodict/array.h"
#include "orthodict/export.h"
#include "orthodict/samples.h"
#include "orthodict/types.h"

namespace orthodict {

// Reads one array from a file, whose format is told by its name:
//   .npy              mapped, not copied
//   .npz[:member]     the only array, or the one named
//   .csv .tsv .txt    numbers with or without a header line
//   .idx .idx.gz -ubyte -ubyte.gz   IDX, MNIST's format (an IDX magic number is enough)
//   .mat[:variable]   MATLAB v5 to v7.3
//   .h5 .hdf5[:/path] HDF5
//   -                 an .npy stream on standard input
// docs/formats.md has the details. Throws Error (Fault::kData) that names the file and what is wrong with it.
[[nodiscard]] ORTHODICT_EXPORT Array read_array(const std::string& path);

// Reads samples: an array as above, in whose rows (or, on request, columns) they are; or a sparse matrix in compressed
// sparse rows as scipy.sparse.save_npz writes it. An .npy, IDX or HDF5 file that, with what is mapped already, is more
// than there is room for in memory isn't mapped: its samples are read as they are used (docs/scale.md). A
// file that is mapped must not shrink as long as the samples live: that is a SIGBUS.
enum class Layout { kRows, kColumns };
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_samples(const std::string& path,
                                                                     Layout layout = Layout::kRows);

// How numbers without a header are to be read, as people write it: f32x100. Throws Error, naming `option`.
struct RawFormat {
  ElementType type;
  Index dimension;
};
[[nodiscard]] ORTHODICT_EXPORT RawFormat parse_raw_format(const std::string& option, const std::string& text);

// Reads samples of `dimension` ≥ 1 numbers one after the other, in this machine's byte order and without a header.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_raw_samples(const std::string& path, ElementType type,
                                                                         Index dimension);

// Samples that come in order, are read once, and may be more than memory holds: what fit_stream() learns from.
class ORTHODICT_EXPORT SampleStream {
 public:
  SampleStream() = default;
  SampleStream(const SampleStream&) = delete;
  SampleStream& operator=(const SampleStream&) = delete;
  virtual ~SampleStream() = default;

  [[nodiscard]] virtual Index dimension() const = 0;            // n
  [[nodiscard]] virtual std::optional<Index> size() const = 0;  // p, where it is known beforehand
  // How many to read at a time: all of them, where it is known that there is room for them, or where they don't come
  // one after the other; else 2²² numbers, and at least 40 samples for each feature, fewer where memory is scarce.
  [[nodiscard]] virtual Index section_size() const = 0;
  // The next `count` samples, in memory; fewer at the end. Null where there are none, and when a stop was requested on
  // the way. Throws Error for a stream that breaks off, has no sample at all or goes on behind its array, and for an
  // array whose samples don't come one after the other unless `count` is at least size().
  virtual std::unique_ptr<Samples> read(Index count, const std::stop_token& stop = {}) = 0;
};

// An .npy stream on standard input, and one of numbers without a header, of `dimension` ≥ 1 to a sample. The header is
// awaited until a stop is requested, which then is an Error.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<SampleStream> open_sample_stream(Layout layout = Layout::kRows,
                                                                                const std::stop_token& stop = {});
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<SampleStream> open_raw_sample_stream(ElementType type, Index dimension);

// Writes a matrix row by row to .npy, .csv or .tsv, or as .npy to standard output when `path` is "-".
// Everything goes to a file of no name, or a temporary one, beside `path`; commit() renames it, so `path` is whole or
// untouched.
class ORTHODICT_EXPORT RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;

  // Converts to the file's element type.
  virtual void append(const Eigen::Ref<const RowMatrix<double>>& rows) = 0;
  virtual void append(const Eigen::Ref<const RowMatrix<float>>& rows) = 0;
  // All rows are written: makes the file appear under its name.
  virtual void commit() = 0;
};

// `type` is kF32 or kF64.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<RowWriter> open_row_writer(const std::string& path, ElementType type,
                                                                          Index rows, Index columns);

// The entries that aren't zero, as an .npz that scipy.sparse.load_npz reads; held in memory until commit().
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<RowWriter> open_sparse_writer(const std::string& path, Index rows,
                                                                             Index columns);

ORTHODICT_EXPORT void write_matrix(const std::string& path, const Eigen::Ref<const RowMatrix<double>>& matrix);

// Throws the Error that writing to `path` would end in (no such folder, no permission, …): better before the work than
// after it.
ORTHODICT_EXPORT void check_writable(const std::string& path);

// Writes `contents` to `path`, whole or not at all, or to standard output when `path` is "-".
ORTHODICT_EXPORT void write_file(const std::string& path, std::string_view contents);

}  // namespace orthodict
