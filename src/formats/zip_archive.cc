// SPDX-License-Identifier: Apache-2.0
#include "formats/zip_archive.h"

#include <fmt/format.h>

#include "memory/allocation.h"
#include "orthodict/error.h"
#include "text/message.h"

namespace orthodict::formats {
namespace {

constexpr std::uint64_t kLargestEntry = std::uint64_t{16} << 30;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_ = {};
};

struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, FreeSource>;

// Opens an archive, which takes ownership of `source`.
zip_t* open_archive(Source source, int flags, const std::string& path) {
  ZipError error;
  zip_t* archive = source ? zip_open_from_source(source.get(), flags, error.get()) : nullptr;
  if (archive == nullptr) throw data_error(path, "isn't a complete zip archive: " + error.text());
  static_cast<void>(source.release());
  return archive;
}

}  // namespace

ZipReader::ZipReader(std::span<const std::byte> bytes, const std::string& path) : archive_bytes_(bytes.size()) {
  Source source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr));
  archive_.reset(open_archive(std::move(source), ZIP_RDONLY, path));
}

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    names.emplace_back(name != nullptr ? name : "");
  }
  return names;
}

void ZipReader::check_plausible(const zip_stat_t& entry, const std::string& label) const {
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((entry.valid & kNeeded) != kNeeded) throw data_error(label, "damaged zip entry");
  if (entry.encryption_method != ZIP_EM_NONE) throw data_error(label, "is encrypted");
  if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE) {
    throw data_error(label,
                     fmt::format("zip compression method {}; legal: stored (0), deflated (8)", entry.comp_method));
  }
  const std::uint64_t expansion = entry.comp_method == ZIP_CM_STORE ? 1 : memory::kDeflateRatio;
  if (entry.comp_size > archive_bytes_ || entry.size / expansion > entry.comp_size) {
    throw data_error(label, fmt::format("promises {} bytes from {} in an archive of {}, which is impossible",
                                        entry.size, entry.comp_size, archive_bytes_));
  }
  if (entry.size > kLargestEntry) {
    throw data_error(label, text::bytes_text(entry.size) + " in one zip entry; at most " +
                                text::bytes_text(kLargestEntry) + " are legal");
  }
}

ZipReader::Contents ZipReader::read(std::uint64_t index, const std::string& label) const {
  zip_stat_t entry;
  zip_stat_init(&entry);
  if (zip_stat_index(archive_.get(), index, 0, &entry) != 0) throw data_error(label, zip_strerror(archive_.get()));
  check_plausible(entry, label);
  const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen_index(archive_.get(), index, 0));
  if (!file) throw data_error(label, std::string("cannot be read: ") + zip_strerror(archive_.get()));
  Contents contents{memory::allocate(label, entry.size), entry.size};
  const zip_int64_t got = zip_fread(file.get(), contents.data.get(), entry.size);
  if (got < 0) throw data_error(label, std::string("damaged: ") + zip_file_strerror(file.get()));
  std::byte beyond{};
  const zip_int64_t rest = zip_fread(file.get(), &beyond, 1);  // verifies the checksum at the end of the entry
  if (rest < 0) throw data_error(label, std::string("damaged: ") + zip_file_strerror(file.get()));
  if (static_cast<zip_uint64_t>(got) != entry.size || rest != 0) {
    throw data_error(label,
                     fmt::format("damaged: promises {} bytes, but holds {}", entry.size, rest > 0 ? "more" : "fewer"));
  }
  return contents;
}

namespace {

void add_entry(zip_t* archive, const std::string& name, const std::string& contents) {
  constexpr zip_uint16_t kFirstDosDay = 1 << 5 | 1;  // 1980-01-01
  Source source(zip_source_buffer(archive, contents.data(), contents.size(), 0));
  const zip_int64_t index = source ? zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) throw data_error(name, std::string("cannot be archived: ") + zip_strerror(archive));
  static_cast<void>(source.release());
  const auto entry = static_cast<zip_uint64_t>(index);
  if (zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, entry, 0, kFirstDosDay, 0) != 0) {
    throw data_error(name, std::string("cannot be archived: ") + zip_strerror(archive));
  }
}

std::string source_bytes(zip_source_t* source) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_source_stat(source, &status) != 0 || zip_source_open(source) != 0)
    throw data_error("archive", "cannot be built");
  std::string bytes(status.size, '\0');
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(bytes.size())) throw data_error("archive", "cannot be built");
  return bytes;
}

}  // namespace

std::string zip_stored(const std::vector<std::pair<std::string, std::string>>& entries) {
  Source source(zip_source_buffer_create(nullptr, 0, 0, nullptr));
  if (!source) throw std::bad_alloc();
  zip_source_keep(source.get());  // the archive takes one reference, the other is ours
  const Source ours(source.get());
  zip_t* archive = open_archive(std::move(source), ZIP_CREATE | ZIP_TRUNCATE, "archive");
  struct DiscardUnlessClosed {
    zip_t* archive;
    ~DiscardUnlessClosed() {
      if (archive != nullptr) zip_discard(archive);
    }
  } guard{archive};
  for (const auto& [name, contents] : entries) add_entry(archive, name, contents);
  if (zip_close(archive) != 0) throw data_error("archive", std::string("cannot be built: ") + zip_strerror(archive));
  guard.archive = nullptr;
  return source_bytes(ours.get());
}

}  // namespace orthodict::formats
