// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "files/atomic_file.h"
#include "formats/npy.h"
#include "memory/allocation.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/table.h"
#include "samples/sample_traits.h"
#include "text/suffix.h"

namespace orthodict {
namespace {

// std::logic_error, because a wrong number of rows is a bug in the caller, not a fault of options or data.
void require_equal(Index given, Index promised, const char* what) {
  if (given != promised)
    throw std::logic_error(fmt::format("RowWriter: {} of {} promised {} given", given, promised, what));
}

// Checks the promised shape; Derived::write_row writes a row in its format.
template <typename Derived>
class CountingWriter : public RowWriter {
 public:
  CountingWriter(const Output& output, Index rows, Index columns) : file_(output), rows_(rows), columns_(columns) {}

  void append(const Eigen::Ref<const RowMatrix<double>>& rows) override { append_rows(rows); }
  void append(const Eigen::Ref<const RowMatrix<float>>& rows) override { append_rows(rows); }

  void commit() override {
    require_equal(appended_, rows_, "rows");
    file_.commit();
  }

 protected:
  void write(std::string_view bytes) { file_.write(bytes); }

 private:
  template <typename Scalar>
  void append_rows(const Eigen::Ref<const RowMatrix<Scalar>>& rows) {
    require_equal(rows.cols(), columns_, "columns");
    for (Index j = 0; j < rows.rows(); ++j) static_cast<Derived*>(this)->write_row(&rows.coeffRef(j, 0), columns_);
    appended_ += rows.rows();
  }

  files::AtomicFile file_;
  Index rows_;
  Index columns_;
  Index appended_ = 0;
};

template <typename Stored>
class NpyWriter final : public CountingWriter<NpyWriter<Stored>> {
 public:
  // A complex number has two columns.
  NpyWriter(const Output& output, Index rows, Index columns, bool is_complex)
      : CountingWriter<NpyWriter<Stored>>(output, rows, columns), row_(columns) {
    const Index reals = is_complex ? 2 : 1;
    const Index shape[] = {rows, columns / reals};
    const std::string kind = is_complex ? "c" : "f";
    this->write(
        formats::npy_header_text(kind + std::to_string(sizeof(Stored) * static_cast<std::size_t>(reals)), shape));
  }

  template <typename Scalar>
  void write_row(const Scalar* values, Index count) {
    row_ = Eigen::Map<const Vector<Scalar>>(values, count).template cast<Stored>();
    this->write({reinterpret_cast<const char*>(row_.data()), static_cast<std::size_t>(count) * sizeof(Stored)});
  }

 private:
  Vector<Stored> row_;
};

// A line of numbers: for each the shortest text that reads back as the same Stored.
template <typename Stored, typename Scalar>
std::string text_of(const Scalar* values, Index count, char separator) {
  constexpr std::size_t kLongestNumber = 32;
  std::string line;
  for (Index i = 0; i < count; ++i) {
    char number[kLongestNumber];
    const auto end = std::to_chars(number, number + kLongestNumber, static_cast<Stored>(values[i])).ptr;
    line.append(number, end);
    line += i + 1 < count ? separator : '\n';
  }
  return line;
}

template <typename Stored>
class TextWriter final : public CountingWriter<TextWriter<Stored>> {
 public:
  TextWriter(const Output& output, Index rows, Index columns, char separator)
      : CountingWriter<TextWriter<Stored>>(output, rows, columns), separator_(separator) {}

  template <typename Scalar>
  void write_row(const Scalar* values, Index count) {
    this->write(text_of<Stored>(values, count, separator_));
  }

 private:
  char separator_;
};

// The same below a header, and behind the name of each row.
template <typename Stored>
class TableWriter final : public CountingWriter<TableWriter<Stored>> {
 public:
  TableWriter(const Output& output, Index columns, char separator, const TableNames& names)
      : CountingWriter<TableWriter<Stored>>(output, static_cast<Index>(names.rows.size()), columns),
        separator_(separator),
        rows_(names.rows) {
    std::string header = quoted(names.corner);
    for (const std::string& name : names.columns) (header += separator_) += quoted(name);
    this->write(header + '\n');
  }

  template <typename Scalar>
  void write_row(const Scalar* values, Index count) {
    const std::string name = next_ < rows_.size() ? quoted(rows_[next_]) : "";
    ++next_;
    this->write(name + separator_);
    this->write(text_of<Stored>(values, count, separator_));
  }

 private:
  [[nodiscard]] std::string quoted(const std::string& name) const {
    const std::string special = {separator_, '"', '\n', '\r', '#', ' '};
    if (name.find_first_of(special) == std::string::npos) return name;
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
  }

  char separator_;
  std::vector<std::string> rows_;
  std::size_t next_ = 0;
};

template <typename Stored>
std::unique_ptr<RowWriter> open_writer(const Output& output, Index rows, Index columns, bool is_complex) {
  const std::string& name = output.name();
  if (output.descriptor() || text::has_suffix(name, ".npy")) {
    return std::make_unique<NpyWriter<Stored>>(output, rows, columns, is_complex);
  }
  if (is_complex) {
    throw Error(Fault::kOption, name + ": unknown output format for complex numbers: the name must end in .npy");
  }
  if (text::has_suffix(name, ".csv")) return std::make_unique<TextWriter<Stored>>(output, rows, columns, ',');
  if (text::has_suffix(name, ".tsv")) return std::make_unique<TextWriter<Stored>>(output, rows, columns, '\t');
  throw Error(Fault::kOption, name + ": unknown output format: the name must end in .npy, .csv or .tsv");
}

}  // namespace

std::unique_ptr<RowWriter> open_row_writer(const Output& output, ElementType type, Index rows, Index columns) {
  const ElementType stored = samples::part_type(type);
  if (stored != ElementType::kF32 && stored != ElementType::kF64) {
    throw option_error("type", to_string(type), "f32, f64, c64 or c128");
  }
  if (rows < 0) throw option_error("rows", std::to_string(rows), "an integer ≥ 0");
  if (columns < 0) throw option_error("columns", std::to_string(columns), "an integer ≥ 0");
  const Index row[] = {columns};
  memory::require_memory(
      output.name(), memory::array_bytes(row, element_size(type)).value_or(std::numeric_limits<std::size_t>::max()));
  try {
    const Index reals = is_complex(type) ? 2 * columns : columns;
    if (stored == ElementType::kF32) return open_writer<float>(output, rows, reals, is_complex(type));
    return open_writer<double>(output, rows, reals, is_complex(type));
  } catch (const std::bad_alloc&) {
    throw data_error(output.name(), "not enough memory for rows of " + std::to_string(columns) + " numbers");
  }
}

std::unique_ptr<RowWriter> open_table_writer(const Output& output, ElementType type, Index rows, Index columns,
                                             const TableNames& names) {
  if (names.rows.empty()) return open_row_writer(output, type, rows, columns);
  const bool is_tsv = text::has_suffix(output.name(), ".tsv");
  if (output.descriptor() || (!is_tsv && !text::has_suffix(output.name(), ".csv"))) {
    throw Error(Fault::kOption, output.name() + ": only .csv and .tsv files have names of rows");
  }
  require_equal(static_cast<Index>(names.rows.size()), rows, "names of rows");
  require_equal(static_cast<Index>(names.columns.size()), columns, "names of columns");
  const char separator = is_tsv ? '\t' : ',';
  if (type == ElementType::kF32) return std::make_unique<TableWriter<float>>(output, columns, separator, names);
  if (type == ElementType::kF64) return std::make_unique<TableWriter<double>>(output, columns, separator, names);
  throw option_error("type", to_string(type), "f32 or f64");
}

void write_matrix(const Output& output, const Eigen::Ref<const RowMatrix<double>>& matrix) {
  const auto writer = open_row_writer(output, ElementType::kF64, matrix.rows(), matrix.cols());
  writer->append(matrix);
  writer->commit();
}

void check_writable(const std::string& path) { files::AtomicFile::check(path); }

void write_file(const Output& output, std::string_view contents) {
  files::AtomicFile file(output);
  file.write(contents);
  file.commit();
}

}  // namespace orthodict
