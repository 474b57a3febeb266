// SPDX-License-Identifier: Apache-2.0
#include "images/jpeg.h"

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <new>
#include <utility>
#include <vector>
//
#include <jerror.h>
#include <jpeglib.h>

#include "images/orientation.h"
#include "images/raster.h"
#include "orthodict/error.h"

namespace orthodict::images {
namespace {

// Error callbacks for libjpeg: they keep the message, print nothing, and leave by longjmp, which must not skip
// destructors.
struct ErrorManager : jpeg_error_mgr {
  const char* failure;  // prefix of libjpeg's message
  std::jmp_buf jump = {};
  char message[JMSG_LENGTH_MAX] = {};

  explicit ErrorManager(const char* what) : jpeg_error_mgr{}, failure(what) {
    jpeg_std_error(this);
    error_exit = [](j_common_ptr codec) {
      auto* self = static_cast<ErrorManager*>(codec->err);
      self->format_message(codec, self->message);
      std::longjmp(self->jump, 1);
    };
    // For damaged or missing data libjpeg invents pixels and warns (level below 0). Here such a warning is an error,
    // unless no pixels are affected.
    emit_message = [](j_common_ptr codec, int level) {
      const int code = codec->err->msg_code;
      const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
      if (level < 0 && !harmless) codec->err->error_exit(codec);
    };
    output_message = [](j_common_ptr) {};
  }

  // libjpeg is called only in `step`s that have no objects to destroy.
  template <typename Step>
  void run(const std::string& name, Step step) {
    if (setjmp(jump) != 0) throw data_error(name, std::string(failure) + ": " + message);
    step();
  }
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { jpeg_destroy_decompress(&codec_); }

  Image read() {
    errors_.run(name_, [this] { read_header(); });
    choose_output_color();
    // A block of 8×8 pixels takes at least one bit, so a byte holds at most 8 blocks.
    constexpr std::size_t kMostPixelsOfByte = 512;
    const auto pixels = static_cast<std::size_t>(codec_.image_height) * codec_.image_width;
    if (pixels / kMostPixelsOfByte > bytes_.size()) throw data_error(name_, "damaged JPEG: truncated");
    // For a progressive file, 16-bit coefficients are kept until the last scan.
    Image image = start_image(name_, codec_.image_height, codec_.image_width,
                              codec_.out_color_space == JCS_GRAYSCALE ? 1 : 3, 8, sizeof(std::int16_t));
    errors_.run(name_, [this] { jpeg_start_decompress(&codec_); });
    reserve_pixels(&image);
    std::vector<JSAMPLE> row(static_cast<std::size_t>(image.width * image.channels));
    for (Index y = 0; y < image.height; ++y) {
      errors_.run(name_, [this, &row] {
        JSAMPROW rows[] = {row.data()};
        jpeg_read_scanlines(&codec_, rows, 1);
      });
      append_values(std::span<const JSAMPLE>(row), 255, &image);
    }
    const int orientation = find_orientation();
    errors_.run(name_, [this] { jpeg_finish_decompress(&codec_); });
    return turn_upright(std::move(image), orientation);
  }

 private:
  void read_header() {
    codec_.err = &errors_;
    jpeg_create_decompress(&codec_);
    progress_.progress_monitor = limit_scans;
    codec_.progress = &progress_;
    jpeg_save_markers(&codec_, kExifMarker, kLongestMarker);
    jpeg_mem_src(&codec_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
    jpeg_read_header(&codec_, TRUE);
  }

  [[nodiscard]] int find_orientation() const {
    for (const jpeg_marker_struct* marker = codec_.marker_list; marker != nullptr; marker = marker->next) {
      if (const int orientation = exif_orientation({marker->data, marker->data_length}); orientation != 1) {
        return orientation;
      }
    }
    return 1;
  }

  // A hostile file may have thousands of tiny scans, each of which is decoded over the whole picture.
  static void limit_scans(j_common_ptr codec) {
    constexpr int kMostScans = 500;
    if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > kMostScans) {
      codec->err->msg_code = JERR_BAD_PROGRESSION;
      codec->err->error_exit(codec);
    }
  }

  void choose_output_color() {
    switch (codec_.jpeg_color_space) {
      case JCS_GRAYSCALE:
        codec_.out_color_space = JCS_GRAYSCALE;
        return;
      case JCS_RGB:
      case JCS_YCbCr:
        codec_.out_color_space = JCS_RGB;
        return;
      default:
        throw data_error(name_, std::to_string(codec_.num_components) +
                                    " channels, such as CMYK; legal: grey or RGB (convert it first)");
    }
  }

  static constexpr int kExifMarker = JPEG_APP0 + 1;
  static constexpr unsigned kLongestMarker = 0xFFFF;

  std::span<const std::byte> bytes_;
  const std::string& name_;
  ErrorManager errors_{"damaged JPEG"};
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct codec_ = {};
};

// A libjpeg destination that appends to a string.
struct Destination : jpeg_destination_mgr {
  std::string bytes;
  JOCTET buffer[16384];

  Destination() : jpeg_destination_mgr{} {
    init_destination = [](j_compress_ptr codec) { of(codec)->rewind(); };
    empty_output_buffer = [](j_compress_ptr codec) -> boolean {
      of(codec)->take(codec, sizeof(buffer));
      return TRUE;
    };
    term_destination = [](j_compress_ptr codec) { of(codec)->take(codec, sizeof(buffer) - of(codec)->free_in_buffer); };
  }

 private:
  static Destination* of(j_compress_ptr codec) { return static_cast<Destination*>(codec->dest); }

  void rewind() {
    next_output_byte = buffer;
    free_in_buffer = sizeof(buffer);
  }

  void take(j_compress_ptr codec, std::size_t count) {
    if (!append(count)) {
      codec->err->msg_code = JERR_OUT_OF_MEMORY;
      codec->err->error_exit(reinterpret_cast<j_common_ptr>(codec));
    }
    rewind();
  }

  // Exceptions must not propagate through libjpeg.
  bool append(std::size_t count) {
    try {
      bytes.append(reinterpret_cast<const char*>(buffer), count);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
};

class Writer {
 public:
  explicit Writer(const std::string& name) : name_(name) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { jpeg_destroy_compress(&codec_); }

  std::string write(const Image& image) {
    std::string raster = raster_bytes(name_, image, 8, Alpha::kDrop);
    errors_.run(name_, [this, &image, &raster] {
      start(image);
      auto* row = reinterpret_cast<JSAMPROW>(raster.data());
      for (Index y = 0; y < image.height; ++y, row += image.width * image.channels) {
        jpeg_write_scanlines(&codec_, &row, 1);
      }
      jpeg_finish_compress(&codec_);
    });
    return std::move(destination_.bytes);
  }

 private:
  void start(const Image& image) {
    constexpr int kQuality = 95;
    codec_.err = &errors_;
    jpeg_create_compress(&codec_);
    codec_.dest = &destination_;
    codec_.image_width = static_cast<JDIMENSION>(image.width);
    codec_.image_height = static_cast<JDIMENSION>(image.height);
    codec_.input_components = static_cast<int>(image.channels);
    codec_.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&codec_);
    jpeg_set_quality(&codec_, kQuality, TRUE);
    for (int i = 0; i < codec_.num_components; ++i) {
      codec_.comp_info[i].h_samp_factor = 1;
      codec_.comp_info[i].v_samp_factor = 1;
    }
    jpeg_start_compress(&codec_, TRUE);
  }

  const std::string& name_;
  ErrorManager errors_{"cannot be written as JPEG"};
  Destination destination_;
  jpeg_compress_struct codec_ = {};
};

}  // namespace

Image read_jpeg(std::span<const std::byte> bytes, const std::string& name) { return Reader(bytes, name).read(); }

std::string jpeg_bytes(const Image& image, const std::string& name) { return Writer(name).write(image); }

}  // namespace orthodict::images
