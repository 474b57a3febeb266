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
#include "orthodict/names.h"
#include "orthodict/output.h"
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
// docs/formats.md has the details. Throws Error (Fault::kData) that names the file and what is wrong with it.
[[nodiscard]] ORTHODICT_EXPORT Array read_array(const std::string& path);
// The whole array of an .npy stream: a pipe, a socket, standard input. Returns when the sender has closed its end,
// since what follows the array is an Error. `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT Array read_array(int descriptor, const std::string& name);

namespace formats {
struct SourceFile;
}

// A file of one of these formats, or a file or folder of images (orthodict/patches.h), which is opened once and then
// asked what it is, and read. The functions that take a path open it themselves.
class ORTHODICT_EXPORT OpenedSource {
 public:
  // Throws Error for what is neither a folder nor a file that can be opened, and for an empty file.
  explicit OpenedSource(const std::string& path);
  OpenedSource(OpenedSource&&) noexcept;
  OpenedSource& operator=(OpenedSource&&) noexcept;
  ~OpenedSource();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_folder() const { return file_ == nullptr; }
  [[nodiscard]] formats::SourceFile& file() const { return *file_; }  // for the library; not of a folder

 private:
  std::string path_;
  std::unique_ptr<formats::SourceFile> file_;
};
[[nodiscard]] ORTHODICT_EXPORT Array read_array(OpenedSource source);

// Reads samples: an array as above, in whose rows (or, on request, columns) they are; or a sparse matrix in compressed
// sparse rows as scipy.sparse.save_npz writes it. An .npy, IDX or HDF5 file that, with what is mapped already, is more
// than there is room for in memory isn't mapped: its samples are read as they are used (docs/scale.md). A
// file that is mapped must not shrink as long as the samples live: that is a SIGBUS.
enum class Layout { kRows, kColumns };
template <>
ORTHODICT_EXPORT std::span<const Named<Layout>> names_of();
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_samples(const std::string& path,
                                                                     Layout layout = Layout::kRows);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_samples(OpenedSource source,
                                                                     Layout layout = Layout::kRows);

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

// Samples from any descriptor: an .npy stream, or numbers in this machine's byte order without a header, `dimension` ≥
// 1 to a sample. The descriptor must stay open as long as the stream lives, which doesn't close it. `name` is for
// messages. Opening an .npy stream waits for its header; a stop that is requested meanwhile is an Error.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<SampleStream> open_sample_stream(int descriptor, const std::string& name,
                                                                                Layout layout = Layout::kRows,
                                                                                const std::stop_token& stop = {});
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<SampleStream> open_raw_sample_stream(int descriptor,
                                                                                    const std::string& name,
                                                                                    ElementType type, Index dimension);

// Writes a matrix row by row to an .npy, .csv or .tsv file, or as .npy to a descriptor. A file is written without a
// name, or under a temporary one, in the folder where it will be; commit() gives it its name.
class ORTHODICT_EXPORT RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;

  // Converts to the file's element type.
  virtual void append(const Eigen::Ref<const RowMatrix<double>>& rows) = 0;
  virtual void append(const Eigen::Ref<const RowMatrix<float>>& rows) = 0;
  // To be called when all rows have been appended: the file appears under its name.
  virtual void commit() = 0;
};

// `type` is kF32 or kF64.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<RowWriter> open_row_writer(const Output& output, ElementType type,
                                                                          Index rows, Index columns);

// The nonzero entries, as an .npz that scipy.sparse.load_npz reads; held in memory until commit().
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<RowWriter> open_sparse_writer(const Output& output, Index rows,
                                                                             Index columns);

ORTHODICT_EXPORT void write_matrix(const Output& output, const Eigen::Ref<const RowMatrix<double>>& matrix);

// Throws the Error that writing to `path` would end in (no such folder, no permission, …): better before the work than
// after it.
ORTHODICT_EXPORT void check_writable(const std::string& path);

ORTHODICT_EXPORT void write_file(const Output& output, std::string_view contents);

}  // namespace orthodict
