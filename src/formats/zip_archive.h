// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zip.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orthodict::formats {

// Reads a zip archive in memory. `bytes` must outlive it. Errors name `path`.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> bytes, const std::string& path);

  [[nodiscard]] std::vector<std::string> names() const;

  // The entry's bytes. Verifies the checksum. Throws Error for encrypted entries, methods other than stored and
  // deflated, and sizes that are impossible for the archive's size.
  struct Contents {
    std::shared_ptr<std::byte[]> data;
    std::size_t size = 0;
  };
  [[nodiscard]] Contents read(std::uint64_t index, const std::string& label) const;

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  void check_plausible(const zip_stat_t& entry, const std::string& label) const;

  std::size_t archive_bytes_;
  std::unique_ptr<zip_t, Discard> archive_;
};

// The bytes of an archive of stored entries (name, contents) in this order, dated 1980-01-01, so that equal entries
// give equal bytes.
[[nodiscard]] std::string zip_stored(const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace orthodict::formats
