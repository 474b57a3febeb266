// SPDX-License-Identifier: Apache-2.0
#include "images/png.h"

#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "images/raster.h"
#include "memory/allocation.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

// libpng reports errors by longjmp, which must not skip destructors. So libpng is called only in `step`s that have no
// objects to destroy. Error messages are kept; warnings are dropped.
class Png {
 public:
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

 protected:
  // `failure` is the prefix of libpng's messages.
  Png(const std::string& name, const char* failure) : name_(name), failure_(failure) {}
  ~Png() = default;

  template <typename Step>
  void run(Step step) {
    if (setjmp(png_jmpbuf(png_)) != 0) throw data_error(name_, std::string(failure_) + ": " + message_);
    step();
  }

  void require_created() const {
    if (png_ == nullptr || info_ == nullptr) throw data_error(name_, "not enough memory");
  }

  static void keep_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<Png*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof(self->message_) - 1);
    png_longjmp(png, 1);
  }
  static void drop_warning(png_structp /*png*/, png_const_charp /*message*/) {}

  const std::string& name_;
  const char* failure_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[128] = {};
};

class Reader : public Png {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name)
      : Png(name, "damaged PNG"), bytes_(bytes), rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, keep_error, drop_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  Image read() {
    require_created();
    run([this] { read_header(); });
    const bool color = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0;
    const int depth = png_get_bit_depth(png_, info_) == 16 ? 16 : 8;
    Image image = start_image(name_, png_get_image_height(png_, info_), png_get_image_width(png_, info_), color ? 3 : 1,
                              depth, static_cast<std::size_t>(depth / 8));
    require_plausible();
    run([this] { choose_output(); });  // allocates memory for rows
    read_pixels(&image);
    return image;
  }

 private:
  static void give_bytes(png_structp png, png_bytep to, std::size_t count) {
    auto& rest = static_cast<Reader*>(png_get_io_ptr(png))->rest_;
    if (count > rest.size()) png_error(png, "truncated");
    std::memcpy(to, rest.data(), count);
    rest = rest.subspan(count);
  }

  void read_header() {
    png_set_read_fn(png_, this, give_bytes);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // start_image() checks the size
    png_read_info(png_, info_);
  }

  void require_plausible() const {
    const std::size_t promised = png_get_rowbytes(png_, info_) * png_get_image_height(png_, info_);
    if (promised / memory::kDeflateRatio > bytes_.size()) throw data_error(name_, "damaged PNG: truncated");
  }

  // Converts all kinds of pixels to grey or RGB with 8 or 16 bits, and perhaps alpha.
  void choose_output() {
    const int color_type = png_get_color_type(png_, info_);
    if (color_type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (color_type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png_);
    if (png_get_valid(png_, info_, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png_);
    if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  void read_pixels(Image* image) {
    const auto height = static_cast<std::size_t>(image->height);
    const std::size_t row_bytes = png_get_rowbytes(png_, info_);
    const auto raster = memory::allocate(name_, height * row_bytes);
    std::vector<png_bytep> rows(height);
    for (std::size_t y = 0; y < height; ++y) rows[y] = reinterpret_cast<png_bytep>(raster.get()) + y * row_bytes;
    run([this, &rows] {
      png_read_image(png_, rows.data());
      png_read_end(png_, nullptr);
    });
    reserve_pixels(image);
    const bool has_alpha = png_get_channels(png_, info_) > image->channels;
    if (has_alpha) image->alpha.reserve(height * static_cast<std::size_t>(image->width));
    const auto count = static_cast<std::size_t>(image->width) * png_get_channels(png_, info_);
    for (png_const_bytep row : rows) {
      if (image->depth == 8) {
        append_row(std::span(row, count), 255, has_alpha, image);
      } else {
        append_row(std::span(reinterpret_cast<const std::uint16_t*>(row), count), 65535, has_alpha, image);
      }
    }
  }

  template <typename Value>
  static void append_row(std::span<const Value> row, int largest, bool has_alpha, Image* image) {
    if (has_alpha) {
      append_with_alpha(row, largest, image);
    } else {
      append_values(row, largest, image);
    }
  }

  std::span<const std::byte> bytes_;
  std::span<const std::byte> rest_;
};

class Writer : public Png {
 public:
  explicit Writer(const std::string& name) : Png(name, "cannot be written as PNG") {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, keep_error, drop_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { png_destroy_write_struct(&png_, &info_); }

  std::string write(const Image& image) {
    require_created();
    const std::string raster = raster_bytes(name_, image, integer_depth(image), Alpha::kKeep);
    const std::size_t row_bytes = raster.size() / static_cast<std::size_t>(image.height);
    run([this, &image, &raster, row_bytes] {
      png_set_write_fn(png_, this, take_bytes, flush);
      png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
                   integer_depth(image), color_type(image), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                   PNG_FILTER_TYPE_DEFAULT);
      png_write_info(png_, info_);
      const auto* row = reinterpret_cast<png_const_bytep>(raster.data());
      for (Index y = 0; y < image.height; ++y, row += row_bytes) png_write_row(png_, row);
      png_write_end(png_, nullptr);
    });
    return std::move(out_);
  }

 private:
  static int color_type(const Image& image) {
    return (image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB) |
           (image.alpha.empty() ? 0 : PNG_COLOR_MASK_ALPHA);
  }

  static void take_bytes(png_structp png, png_bytep bytes, std::size_t count) {
    auto* self = static_cast<Writer*>(png_get_io_ptr(png));
    if (!self->append(bytes, count)) png_error(png, "not enough memory");
  }
  static void flush(png_structp /*png*/) {}

  // Exceptions must not propagate through libpng.
  bool append(png_const_bytep bytes, std::size_t count) {
    try {
      out_.append(reinterpret_cast<const char*>(bytes), count);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::string out_;
};

}  // namespace

bool has_png_and_jpeg() { return true; }

Image read_png(std::span<const std::byte> bytes, const std::string& name) { return Reader(bytes, name).read(); }

std::string png_bytes(const Image& image, const std::string& name) { return Writer(name).write(image); }

}  // namespace orthodict::images
