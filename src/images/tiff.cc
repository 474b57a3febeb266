// SPDX-License-Identifier: Apache-2.0
#include "images/tiff.h"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "images/orientation.h"
#include "images/raster.h"
#include "memory/allocation.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

// A file in memory: libtiff reads `in`, or reads and writes `out`.
struct Contents {
  std::span<const std::byte> in = {};
  std::string out = {};
  std::size_t at = 0;
  bool is_writing = false;
  std::string message = {};  // libtiff's first error

  [[nodiscard]] std::size_t size() const { return is_writing ? out.size() : in.size(); }
  [[nodiscard]] const char* data() const { return is_writing ? out.data() : reinterpret_cast<const char*>(in.data()); }
};

Contents* contents_of(thandle_t handle) { return static_cast<Contents*>(handle); }

tmsize_t read_bytes(thandle_t handle, void* to, tmsize_t count) {
  Contents* file = contents_of(handle);
  if (count < 0 || file->at >= file->size()) return 0;
  const std::size_t there = std::min(static_cast<std::size_t>(count), file->size() - file->at);
  std::memcpy(to, file->data() + file->at, there);
  file->at += there;
  return static_cast<tmsize_t>(there);
}

// Exceptions must not propagate through libtiff.
tmsize_t write_bytes(thandle_t handle, void* from, tmsize_t count) {
  Contents* file = contents_of(handle);
  if (!file->is_writing || count < 0) return -1;
  try {
    const auto size = static_cast<std::size_t>(count);
    if (file->out.size() < file->at + size) file->out.resize(file->at + size);
    std::memcpy(file->out.data() + file->at, from, size);
    file->at += size;
    return count;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

toff_t seek(thandle_t handle, toff_t offset, int whence) {
  Contents* file = contents_of(handle);
  const toff_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->at : file->size();
  file->at = static_cast<std::size_t>(from + offset);
  return file->at;
}

int keep_open(thandle_t /*handle*/) { return 0; }
toff_t size_of(thandle_t handle) { return contents_of(handle)->size(); }

int keep_error(TIFF* /*tiff*/, void* file, const char* /*module*/, const char* format, va_list arguments) {
  char text[256];
  (void)std::vsnprintf(text, sizeof(text), format, arguments);
  std::string& message = static_cast<Contents*>(file)->message;
  try {
    if (message.empty()) message = text;
  } catch (const std::bad_alloc&) {
    message.clear();
  }
  return 1;
}

int drop_warning(TIFF* /*tiff*/, void* /*file*/, const char* /*module*/, const char* /*format*/,
                 va_list /*arguments*/) {
  return 1;
}

using Handle = std::unique_ptr<TIFF, void (*)(TIFF*)>;

// Null if libtiff refuses.
Handle open(const std::string& name, const char* mode, Contents* file) {
  constexpr tmsize_t kMostAtOnce = tmsize_t{1} << 30;
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (options == nullptr) throw std::bad_alloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_error, file);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), drop_warning, nullptr);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMostAtOnce);
  return {TIFFClientOpenExt(name.c_str(), mode, file, read_bytes, write_bytes, seek, keep_open, size_of, nullptr,
                            nullptr, options.get()),
          TIFFClose};
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name)
      : name_(name), file_{.in = bytes}, tiff_(images::open(name, "rm", &file_)) {
    if (tiff_ == nullptr) throw damaged();
  }

  Image read() {
    read_layout();
    Image image = start_image(name_, height_, width_, colors_, bits_, static_cast<std::size_t>(bits_ / 8));
    chunk_.resize(chunk_bytes());
    reserve_pixels(&image);
    if (alpha_ != Transparency::kNone) image.alpha.reserve(static_cast<std::size_t>(height_ * width_));
    const Index rows = std::min(chunk_height_, height_);
    memory::require_memory(name_, static_cast<std::size_t>(rows * width_ * samples_ * bits_ / 8));
    band_.resize(static_cast<std::size_t>(rows * width_ * samples_ * bits_ / 8));
    for (Index top = 0; top < height_; top += rows) {
      const Index count = std::min(rows, height_ - top);
      read_band(top, count);
      append_band(count, &image);
    }
    return upright(std::move(image));
  }

 private:
  enum class Transparency { kNone, kSeparate, kMultiplied };

  template <typename Value>
  [[nodiscard]] Value field(std::uint32_t tag, Value otherwise) const {
    Value value = otherwise;
    return TIFFGetFieldDefaulted(tiff_.get(), tag, &value) == 1 ? value : otherwise;
  }

  [[nodiscard]] Error damaged() const {
    return data_error(name_, "damaged TIFF: " + (file_.message.empty() ? std::string("unreadable") : file_.message));
  }

  void read_layout() {
    height_ = field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
    width_ = field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
    samples_ = field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
    bits_ = field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
    is_separate_ = field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    read_type();
    read_colors();
    is_tiled_ = TIFFIsTiled(tiff_.get()) != 0;
    chunk_height_ =
        is_tiled_ ? field<std::uint32_t>(TIFFTAG_TILELENGTH, 0) : field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, 0);
    chunk_width_ = is_tiled_ ? Index{field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0)} : width_;
    if (!is_tiled_) chunk_height_ = std::min(chunk_height_, height_);
    if (chunk_height_ < 1 || chunk_width_ < 1) throw damaged();
  }

  void read_type() {
    const auto format = field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    const bool is_float = format == SAMPLEFORMAT_IEEEFP;
    const bool is_integer = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
    if ((is_integer && (bits_ == 8 || bits_ == 16)) || (is_float && bits_ == 32)) return;
    throw data_error(
        name_, fmt::format("a TIFF of {}{} bits per value; legal: 8 or 16 bits, or 32 bits in floating point", bits_,
                           is_float     ? " floating-point"
                           : is_integer ? ""
                                        : " signed or complex"));
  }

  void read_colors() {
    const auto photometric = field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    const auto compression = field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    is_inverted_ = photometric == PHOTOMETRIC_MINISWHITE;
    if (photometric == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG) {
      TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      colors_ = 3;
    } else if (photometric == PHOTOMETRIC_RGB) {
      colors_ = 3;
    } else if (photometric == PHOTOMETRIC_MINISBLACK || is_inverted_) {
      colors_ = 1;
    } else {
      throw data_error(name_,
                       "a TIFF with a palette, CMYK or another colour space; legal: grey or RGB (convert it first)");
    }
    constexpr Index kMostSamples = 64;
    if (samples_ < colors_ || samples_ > kMostSamples)
      throw data_error(name_, fmt::format("damaged TIFF: {} values per pixel", samples_));
    std::uint16_t count = 0;
    std::uint16_t* kinds = nullptr;
    if (samples_ == colors_ || TIFFGetField(tiff_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) != 1 || count == 0)
      return;
    if (kinds[0] == EXTRASAMPLE_ASSOCALPHA) alpha_ = Transparency::kMultiplied;
    if (kinds[0] == EXTRASAMPLE_UNASSALPHA) alpha_ = Transparency::kSeparate;
  }

  // The size of a strip or tile, as libtiff decodes it.
  [[nodiscard]] std::size_t chunk_bytes() const {
    const auto size = is_tiled_ ? TIFFTileSize64(tiff_.get())
                                : TIFFVStripSize64(tiff_.get(), static_cast<std::uint32_t>(chunk_height_));
    const Index values[] = {chunk_height_, chunk_width_, is_separate_ ? 1 : samples_};
    const auto expected = memory::array_bytes(values, static_cast<std::size_t>(bits_ / 8));
    if (!expected || size != *expected) throw damaged();
    memory::require_memory(name_, *expected);
    return *expected;
  }

  // Reads rows [top, top + count) of all values to band_, the values of a pixel contiguous.
  void read_band(Index top, Index count) {
    const auto bytes = static_cast<std::size_t>(bits_ / 8);
    const Index parts = is_separate_ ? samples_ : 1;
    const std::size_t piece = bytes * static_cast<std::size_t>(is_separate_ ? 1 : samples_);
    const std::size_t pixel = bytes * static_cast<std::size_t>(samples_);
    for (Index part = 0; part < parts; ++part) {
      for (Index left = 0; left < width_; left += chunk_width_) {
        read_chunk(top, left, part, count);
        const Index columns = std::min(chunk_width_, width_ - left);
        for (Index y = 0; y < count; ++y) {
          const std::byte* from = chunk_.data() + static_cast<std::size_t>(y * chunk_width_) * piece;
          std::byte* to = band_.data() + static_cast<std::size_t>(y * width_ + left) * pixel +
                          static_cast<std::size_t>(part) * bytes;
          if (!is_separate_) {
            std::memcpy(to, from, static_cast<std::size_t>(columns) * pixel);
            continue;
          }
          for (Index x = 0; x < columns; ++x, from += piece, to += pixel) std::memcpy(to, from, piece);
        }
      }
    }
  }

  void read_chunk(Index top, Index left, Index part, Index rows) {
    const auto y = static_cast<std::uint32_t>(top);
    const auto sample = static_cast<std::uint16_t>(part);
    const auto wanted = static_cast<tmsize_t>(chunk_.size() / static_cast<std::size_t>(chunk_height_)) * rows;
    const tmsize_t found =
        is_tiled_ ? TIFFReadEncodedTile(tiff_.get(),
                                        TIFFComputeTile(tiff_.get(), static_cast<std::uint32_t>(left), y, 0, sample),
                                        chunk_.data(), static_cast<tmsize_t>(chunk_.size()))
                  : TIFFReadEncodedStrip(tiff_.get(), TIFFComputeStrip(tiff_.get(), y, sample), chunk_.data(), wanted);
    if (found < wanted || !file_.message.empty()) throw damaged();
  }

  void append_band(Index rows, Image* image) const {
    for (Index i = 0; i < rows * width_; ++i) {
      float alpha = 255;
      if (alpha_ != Transparency::kNone) {
        alpha = value(i * samples_ + colors_);
        image->alpha.push_back(alpha);
      }
      for (Index c = 0; c < colors_; ++c) {
        float color = value(i * samples_ + c);
        if (alpha_ == Transparency::kMultiplied && alpha > 0) color *= 255 / alpha;
        image->pixels.push_back(is_inverted_ ? 255 - color : color);
      }
    }
  }

  // A value of the band, on the scale of 0 … 255.
  [[nodiscard]] float value(Index i) const {
    const std::byte* at = band_.data() + static_cast<std::size_t>(i * bits_ / 8);
    if (bits_ == 8) return static_cast<float>(std::to_integer<int>(*at));
    if (bits_ == 16) {
      std::uint16_t number = 0;
      std::memcpy(&number, at, sizeof(number));
      return on_scale(number, 65535);
    }
    float number = 0;
    std::memcpy(&number, at, sizeof(number));
    return number * 255;
  }

  [[nodiscard]] Image upright(Image image) const {
    const auto orientation = field<std::uint16_t>(TIFFTAG_ORIENTATION, 1);
    if (orientation < 2 || orientation > 8) return image;
    Image opacity{.height = image.height, .width = image.width, .pixels = std::move(image.alpha)};
    image.alpha = {};
    if (!opacity.pixels.empty()) opacity = turn_upright(std::move(opacity), orientation);
    image = turn_upright(std::move(image), orientation);
    image.alpha = std::move(opacity.pixels);
    return image;
  }

  const std::string& name_;
  Contents file_;
  Handle tiff_;
  Index height_ = 0;
  Index width_ = 0;
  Index samples_ = 1;  // per pixel
  Index colors_ = 1;   // the first of them
  int bits_ = 8;
  Transparency alpha_ = Transparency::kNone;
  bool is_separate_ = false;
  bool is_inverted_ = false;
  bool is_tiled_ = false;
  Index chunk_height_ = 0;  // of strips or tiles
  Index chunk_width_ = 0;
  std::vector<std::byte> chunk_;
  std::vector<std::byte> band_;
};

class Writer {
 public:
  Writer(const Image& image, const std::string& name)
      : image_(image), name_(name), file_{.is_writing = true}, tiff_(images::open(name, "w", &file_)) {
    if (tiff_ == nullptr) throw failure();
  }

  std::string write() {
    set_fields();
    const std::size_t row_bytes = row_values() * static_cast<std::size_t>(image_.depth / 8);
    std::vector<std::byte> row(row_bytes);
    for (Index y = 0; y < image_.height; ++y) {
      fill_row(y, row.data());
      if (TIFFWriteScanline(tiff_.get(), row.data(), static_cast<std::uint32_t>(y), 0) != 1) throw failure();
    }
    if (TIFFFlush(tiff_.get()) != 1) throw failure();
    tiff_.reset();
    if (!file_.message.empty()) throw failure();
    return std::move(file_.out);
  }

 private:
  [[nodiscard]] Error failure() const {
    return data_error(name_, "cannot be written as TIFF: " +
                                 (file_.message.empty() ? std::string("not enough memory") : file_.message));
  }

  [[nodiscard]] bool has_alpha() const { return !image_.alpha.empty(); }
  [[nodiscard]] std::size_t row_values() const {
    return static_cast<std::size_t>(image_.width * (image_.channels + (has_alpha() ? 1 : 0)));
  }

  template <typename... Values>
  void set(std::uint32_t tag, Values... values) {
    if (TIFFSetField(tiff_.get(), tag, values...) != 1) throw failure();
  }

  void set_fields() {
    constexpr std::uint16_t kOpacity[] = {EXTRASAMPLE_UNASSALPHA};
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(image_.width));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(image_.height));
    set(TIFFTAG_SAMPLESPERPIXEL, static_cast<int>(image_.channels) + (has_alpha() ? 1 : 0));
    set(TIFFTAG_BITSPERSAMPLE, image_.depth);
    set(TIFFTAG_SAMPLEFORMAT, image_.depth == 32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    set(TIFFTAG_PHOTOMETRIC, image_.channels == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    if (has_alpha()) set(TIFFTAG_EXTRASAMPLES, 1, kOpacity);
    if (TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE) == 1) {
      set(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
      set(TIFFTAG_PREDICTOR, image_.depth == 32 ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
    }
    set(TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff_.get(), 0));
  }

  void fill_row(Index y, std::byte* to) const {
    const Index first = y * image_.width;
    for (Index x = 0; x < image_.width; ++x) {
      for (Index c = 0; c < image_.channels; ++c) to = put(image_.at(y, x, c), to);
      if (has_alpha()) to = put(image_.alpha[static_cast<std::size_t>(first + x)], to);
    }
  }

  std::byte* put(float value, std::byte* to) const {
    if (image_.depth == 32) return put_bytes(value / 255, to);
    if (std::isnan(value)) throw data_error(name_, "has a pixel that is NaN");
    const double clipped = std::clamp(static_cast<double>(value), 0.0, 255.0);
    if (image_.depth == 16) return put_bytes(static_cast<std::uint16_t>(std::lround(clipped * 257)), to);
    return put_bytes(static_cast<std::uint8_t>(std::lround(clipped)), to);
  }

  template <typename Value>
  static std::byte* put_bytes(Value value, std::byte* to) {
    std::memcpy(to, &value, sizeof(value));
    return to + sizeof(value);
  }

  const Image& image_;
  const std::string& name_;
  Contents file_;
  Handle tiff_;
};

}  // namespace

bool has_tiff() { return true; }

Image read_tiff(std::span<const std::byte> bytes, const std::string& name) { return Reader(bytes, name).read(); }

std::string tiff_bytes(const Image& image, const std::string& name) { return Writer(image, name).write(); }

}  // namespace orthodict::images
