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

// A zip archive in memory, open for reading. `bytes` must outlive it. Errors name `path`.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> bytes, const std::string& path);

  [[nodiscard]] std::vector<std::string> names() const;

  // The entry's bytes, its checksum verified. Refuses encryption, methods other than stored and deflated, and sizes
  // that the archive can't hold.
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

// The bytes of an archive whose entries (name, contents) are stored, in this order, dated 1980-01-01: equal entries
// give equal bytes, whenever and wherever.
[[nodiscard]] std::string zip_stored(const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace orthodict::formats
