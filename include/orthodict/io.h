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

// Reads one array from a file. The suffix determines the format:
//   .npy              mapped, not copied
//   .npz[:member]     the only array, or the one named
//   .csv .tsv .txt    numbers with or without a header line
//   .idx .idx.gz -ubyte -ubyte.gz   IDX, MNIST's format (an IDX magic number is enough)
//   .mat[:variable]   MATLAB v5 to v7.3
//   .h5 .hdf5[:/path] HDF5
// docs/formats.md has the details. Throws Error (Fault::kData) that names the file and the problem.
[[nodiscard]] ORTHODICT_EXPORT Array read_array(const std::string& path);
// Reads an .npy array from a pipe, a socket or standard input. Returns when the sender closes its end, because data
// after the array are an Error. `name` is for messages.
[[nodiscard]] ORTHODICT_EXPORT Array read_array(int descriptor, const std::string& name);

namespace formats {
struct SourceFile;
}

// An open file of one of these formats, or a file or folder of images (orthodict/patches.h). Pass it to several
// functions to open the file only once; overloads that take a path open it themselves.
class ORTHODICT_EXPORT OpenedSource {
 public:
  // Throws Error unless `path` is a folder or a file that can be opened and isn't empty.
  explicit OpenedSource(const std::string& path);
  OpenedSource(OpenedSource&&) noexcept;
  OpenedSource& operator=(OpenedSource&&) noexcept;
  ~OpenedSource();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_folder() const { return file_ == nullptr; }
  [[nodiscard]] formats::SourceFile& file() const { return *file_; }  // internal; not for folders

 private:
  std::string path_;
  std::unique_ptr<formats::SourceFile> file_;
};
[[nodiscard]] ORTHODICT_EXPORT Array read_array(OpenedSource source);

// Reads samples: the rows (or columns) of an array as above, or the rows of a sparse matrix in compressed sparse rows,
// as scipy.sparse.save_npz writes them. Files are mapped; but if an .npy, IDX or HDF5 file and those already mapped
// exceed the available memory, its samples are read when they are used (docs/scale.md). A mapped file must not shrink
// while the samples exist; that would raise SIGBUS.
enum class Layout { kRows, kColumns };
template <>
ORTHODICT_EXPORT std::span<const Named<Layout>> names_of();
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_samples(const std::string& path,
                                                                     Layout layout = Layout::kRows);
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_samples(OpenedSource source,
                                                                     Layout layout = Layout::kRows);

// Reads contiguous samples of `dimension` ≥ 1 numbers, in this machine's byte order and without a header.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<Samples> read_raw_samples(const std::string& path, ElementType type,
                                                                         Index dimension);

// A sequence of samples that can be read once, such as a pipe, and may exceed memory. The input of fit_stream().
class ORTHODICT_EXPORT SampleStream {
 public:
  SampleStream() = default;
  SampleStream(const SampleStream&) = delete;
  SampleStream& operator=(const SampleStream&) = delete;
  virtual ~SampleStream() = default;

  [[nodiscard]] virtual Index dimension() const = 0;  // n; of complex samples 2n
  [[nodiscard]] virtual bool is_complex() const { return false; }
  [[nodiscard]] virtual std::optional<Index> size() const = 0;  // p, if known in advance
  // The recommended number of samples to read at a time: all samples if they are known to fit in memory or aren't
  // contiguous; else 2²² numbers, but at least 40 samples per feature; fewer if memory is scarce.
  [[nodiscard]] virtual Index section_size() const = 0;
  // Reads the next `count` samples into memory; fewer at the end. Null at the end and after a stop request. Throws
  // Error if the stream is truncated, has no samples or continues after its array, and for an array whose samples
  // aren't contiguous unless `count` is at least size().
  virtual std::unique_ptr<Samples> read(Index count, const std::stop_token& stop = {}) = 0;
};

// Opens a stream on any descriptor: .npy, or samples of `dimension` ≥ 1 numbers in this machine's byte order without a
// header. The descriptor must stay open while the stream exists; the stream doesn't close it. `name` is for messages.
// Opening an .npy stream waits for its header; a stop request in the meantime is an Error.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<SampleStream> open_sample_stream(int descriptor, const std::string& name,
                                                                                Layout layout = Layout::kRows,
                                                                                const std::stop_token& stop = {});
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<SampleStream> open_raw_sample_stream(int descriptor,
                                                                                    const std::string& name,
                                                                                    ElementType type, Index dimension);

// Writes a matrix row by row to an .npy, .csv or .tsv file, or as .npy to a descriptor. The file appears under its name
// at commit(); until then it is unnamed, or has a temporary name in the same folder.
class ORTHODICT_EXPORT RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;

  // Converts to the file's element type.
  virtual void append(const Eigen::Ref<const RowMatrix<double>>& rows) = 0;
  virtual void append(const Eigen::Ref<const RowMatrix<float>>& rows) = 0;
  // Must be called after all rows have been appended.
  virtual void commit() = 0;
};

// `type` is kF32, kF64, or of complex numbers (.npy only), kC64 or kC128: rows have two columns for each of these then,
// its real and its imaginary part, and `columns` is the number of complex ones.
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<RowWriter> open_row_writer(const Output& output, ElementType type,
                                                                          Index rows, Index columns);

// Writes compressed sparse rows that scipy.sparse.load_npz reads (.npz). Entries are kept in memory until commit().
[[nodiscard]] ORTHODICT_EXPORT std::unique_ptr<RowWriter> open_sparse_writer(const Output& output, Index rows,
                                                                             Index columns);

ORTHODICT_EXPORT void write_matrix(const Output& output, const Eigen::Ref<const RowMatrix<double>>& matrix);

// Throws the Error that writing to `path` would throw (no such folder, no permission, …). Call it before long work.
ORTHODICT_EXPORT void check_writable(const std::string& path);

ORTHODICT_EXPORT void write_file(const Output& output, std::string_view contents);

}  // namespace orthodict
