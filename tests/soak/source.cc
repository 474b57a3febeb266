// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <type_traits>

namespace orthodict::soak {
namespace {

namespace fs = std::filesystem;

// Values of about 1 become integers of about a fifth of the type's range, and of no more than a thousand.
template <typename T>
T rounded(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    const auto least = static_cast<double>(std::numeric_limits<T>::min());
    const double most = std::min(static_cast<double>(std::numeric_limits<T>::max()), 1e6);
    const double unit = std::min(most / 5, 1e3);
    const double zero = std::is_unsigned_v<T> ? std::floor(most / 2) : 0;
    return static_cast<T>(std::clamp(std::round(value * unit + zero), std::max(least, -1e6), most));
  }
}

// Calls `then` with a value of the type.
template <typename Then>
void with_type(ElementType type, const Then& then) {
  switch (type) {
    case ElementType::kU8:
      return then(std::uint8_t{});
    case ElementType::kI8:
      return then(std::int8_t{});
    case ElementType::kU16:
      return then(std::uint16_t{});
    case ElementType::kI16:
      return then(std::int16_t{});
    case ElementType::kU32:
      return then(std::uint32_t{});
    case ElementType::kI32:
      return then(std::int32_t{});
    case ElementType::kU64:
      return then(std::uint64_t{});
    case ElementType::kI64:
      return then(std::int64_t{});
    case ElementType::kF32:
      return then(float{});
    case ElementType::kF16:
    case ElementType::kF64:
    case ElementType::kC64:
    case ElementType::kC128:
      return then(double{});
  }
}

// Feature i of sample j at element first + j·sample_stride + i·feature_stride of `count`.
struct Spacing {
  Index count = 0;
  Index first = 0;
  Index sample_stride = 0;
  Index feature_stride = 0;
};

std::vector<std::byte> place(const Matrix<double>& y, ElementType type, const Spacing& at, bool swapped = false) {
  const auto size = static_cast<Index>(element_size(type));
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<Index>(at.count * size, 1)));
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < y.rows(); ++i) {
        const T value = rounded<T>(y(i, j));
        std::byte* to = bytes.data() + (at.first + j * at.sample_stride + i * at.feature_stride) * size;
        std::memcpy(to, &value, sizeof value);
        if (swapped) std::reverse(to, to + size);
      }
    }
  });
  return bytes;
}

std::unique_ptr<Samples> view_typed(const std::byte* at, ElementType type, Index n, Index p, Index stride) {
  switch (type) {
    case ElementType::kU8:
      return view_samples(reinterpret_cast<const std::uint8_t*>(at), n, p, stride);
    case ElementType::kI16:
      return view_samples(reinterpret_cast<const std::int16_t*>(at), n, p, stride);
    case ElementType::kF32:
      return view_samples(reinterpret_cast<const float*>(at), n, p, stride);
    default:
      return view_samples(reinterpret_cast<const double*>(at), n, p, stride);
  }
}

Source in_columns(const Plan& plan, Index gap, Index parts) {
  const Index n = plan.y.rows();
  const Index p = plan.y.cols();
  const Index stride = n + gap;
  Source source{place(plan.y, plan.type, {p * stride, 0, stride, 1}), nullptr};
  std::vector<std::unique_ptr<Samples>> views;
  for (Index part = 0; part < parts; ++part) {
    const Index from = p * part / parts;
    const Index to = p * (part + 1) / parts;
    const auto offset = static_cast<std::size_t>(from * stride) * element_size(plan.type);
    views.push_back(view_typed(source.bytes.data() + offset, plan.type, n, to - from, stride));
  }
  source.samples = parts == 1 ? std::move(views.front()) : join_samples(std::move(views));
  return source;
}

// Forwards or backwards, with gaps, features or samples side by side.
Source strided(Plan* plan) {
  Draw& draw = plan->details;
  const Index n = plan->y.rows();
  const Index p = plan->y.cols();
  Spacing at;
  at.feature_stride = draw.chance(0.5) ? draw.integer(1, 3) : p;
  at.sample_stride = at.feature_stride == p ? 1 : n * at.feature_stride;
  at.count = std::max<Index>((n - 1) * at.feature_stride + std::max<Index>(p - 1, 0) * at.sample_stride + 1, 1);
  if (draw.chance(0.5)) {
    at.first = at.count - 1;
    at.feature_stride = -at.feature_stride;
    at.sample_stride = -at.sample_stride;
  }
  Source source{place(plan->y, plan->type, at), nullptr};
  source.samples =
      view_samples(plan->type, source.bytes.data() + at.first * static_cast<Index>(element_size(plan->type)), n, p,
                   at.sample_stride, at.feature_stride, "strided");
  return source;
}

Source in_array(Plan* plan) {
  const Index n = plan->y.rows();
  const Index p = plan->y.cols();
  const bool rows = plan->details.chance(0.5);
  const bool samples_apart = plan->details.chance(0.5);  // a sample's features are side by side
  Array array;
  array.type = plan->type;
  array.shape = rows ? std::vector<Index>{p, n} : std::vector<Index>{n, p};
  array.column_major = rows != samples_apart;
  array.byte_swapped = plan->details.chance(0.5);
  const Spacing at = samples_apart ? Spacing{n * p, 0, n, 1} : Spacing{n * p, 0, 1, p};
  Source source{place(plan->y, plan->type, at, array.byte_swapped), nullptr};
  array.data = source.bytes.data();
  array.name = "array";
  source.samples = rows ? samples_in_rows(array) : samples_in_columns(array);
  return source;
}

// A class as a caller might write it: owns its numbers and copies them to the scratch buffer.
class OwnSamples final : public Samples {
 public:
  explicit OwnSamples(Matrix<double> y) : y_(std::move(y)) {}
  [[nodiscard]] Index dimension() const override { return y_.rows(); }
  [[nodiscard]] Index size() const override { return y_.cols(); }
  [[nodiscard]] const std::string& name() const override { return name_; }
  Block<float> block(Index first, Index count, float* scratch) const override { return copy(first, count, scratch); }
  Block<double> block(Index first, Index count, double* scratch) const override { return copy(first, count, scratch); }

 private:
  template <typename Scalar>
  Block<Scalar> copy(Index first, Index count, Scalar* scratch) const {
    Eigen::Map<Matrix<Scalar>>(scratch, y_.rows(), count) = y_.middleCols(first, count).template cast<Scalar>();
    return {scratch, y_.rows()};
  }
  Matrix<double> y_;
  std::string name_ = "own";
};

void write_bytes(const fs::path& path, const char* data, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(data, static_cast<std::streamsize>(size));
}

void write_rows(std::unique_ptr<RowWriter> writer, const Matrix<double>& y) {
  writer->append(RowMatrix<double>(y.transpose()));
  writer->commit();
}

// Writes the file. Returns a function that reads it with the library.
std::function<std::unique_ptr<Samples>()> write_samples(Plan* plan, const fs::path& folder, fs::path* file) {
  const Matrix<double>& y = plan->y;
  switch (plan->form) {
    case Form::kCsv: {
      *file = folder / plan->details.one_of({"samples.csv", "samples.tsv", "samples.txt"});
      if (file->extension() == ".txt") *file = folder / "samples.csv";
      write_rows(open_row_writer(file->string(), ElementType::kF64, y.cols(), y.rows()), y);
      return [path = file->string()] { return read_samples(path); };
    }
    case Form::kRaw: {
      *file = folder / "samples.raw";
      const auto bytes = place(y, plan->type, {y.size(), 0, y.rows(), 1});
      write_bytes(*file, reinterpret_cast<const char*>(bytes.data()), y.size() > 0 ? bytes.size() : 0);
      return [path = file->string(), type = plan->type, n = y.rows()] { return read_raw_samples(path, type, n); };
    }
    case Form::kSparse:
      *file = folder / "samples.npz";
      write_rows(open_sparse_writer(file->string(), y.cols(), y.rows()), y);
      return [path = file->string()] { return read_samples(path); };
    case Form::kPicture: {
      const bool grey = plan->picture.channels == 1;
      *file = folder / plan->details.one_of({"samples.png", grey ? "samples.pgm" : "samples.ppm", "samples.jpg"});
      if (file->extension() == ".jpg") plan->picture.depth = 8;
      write_image(file->string(), plan->picture);
      const fs::path source = plan->details.chance(0.3) ? folder : *file;
      return [path = source.string(), cut = plan->cut] { return read_patches(path, cut); };
    }
    case Form::kForeign: {
      const std::size_t colon = std::min(plan->foreign.find(':'), plan->foreign.size());
      const std::string name = plan->foreign.substr(0, colon);
      *file = folder / ("samples-" + name);
      fs::copy_file(fs::path(ORTHODICT_TEST_DATA) / name, *file);
      return [path = file->string() + plan->foreign.substr(colon)] { return read_samples(path); };
    }
    default: {
      *file = folder / "samples.npy";
      const bool columns = plan->details.chance(0.3);
      const Matrix<double> rows = columns ? Matrix<double>(y.transpose()) : y;
      write_rows(open_row_writer(file->string(), plan->type, rows.cols(), rows.rows()), rows);
      const Layout layout = columns ? Layout::kColumns : Layout::kRows;
      return [path = file->string(), layout] { return read_samples(path, layout); };
    }
  }
}

void spoil(Trouble trouble, const fs::path& file, Draw* draw) {
  const std::string garbage(static_cast<std::size_t>(draw->integer(1, 3000)), '!');
  switch (trouble) {
    case Trouble::kTruncated:
      fs::resize_file(
          file, static_cast<std::uintmax_t>((0.1 + 0.8 * draw->uniform()) * static_cast<double>(fs::file_size(file))));
      return;
    case Trouble::kEmpty:
      fs::resize_file(file, 0);
      return;
    case Trouble::kGarbage:
      write_bytes(file, garbage.data(), garbage.size());
      return;
    case Trouble::kMissing:
    case Trouble::kFolder:
      fs::remove(file);
      if (trouble == Trouble::kFolder) fs::create_directory(file);
      return;
    default:
      return;
  }
}

Source from_file(Plan* plan, const fs::path& folder) {
  fs::path file;
  const auto read = write_samples(plan, folder, &file);
  spoil(plan->trouble, file, &plan->details);
  Source source{{}, read()};
  // An open file doesn't change when another file takes its name.
  if (plan->trouble == Trouble::kReplaced) {
    write_file((folder / "other").string(), "another file");
    fs::rename(folder / "other", file);
  }
  return source;
}

}  // namespace

Source make_source(Plan* plan, const fs::path& folder) {
  if (is_file(plan->form)) return from_file(plan, folder);
  switch (plan->form) {
    case Form::kStrided:
      return strided(plan);
    case Form::kArray:
      return in_array(plan);
    case Form::kJoined:
      return in_columns(*plan, plan->details.integer(0, 5), 2);
    case Form::kOwn:
      return {{}, std::make_unique<OwnSamples>(plan->y)};
    case Form::kPatches:
      return {{}, image_patches({plan->picture}, plan->cut)};
    default:
      return in_columns(*plan, plan->details.integer(0, 5), 1);
  }
}

}  // namespace orthodict::soak
