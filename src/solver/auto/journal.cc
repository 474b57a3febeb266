// SPDX-License-Identifier: Apache-2.0
#include "solver/auto/journal.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "orthodict/array.h"
#include "solver/hash.h"

namespace orthodict::solver {
namespace {

constexpr const char* kEntries = "entries";  // all entries, concatenated
constexpr const char* kSizes = "sizes";      // size of each entry

// Saves matrices together with the journal's entries. The Journal itself reads the entries.
class WithEntries final : public Resumable {
 public:
  WithEntries(const std::vector<Journal::Entry>& entries, Resumable* matrices)
      : entries_(entries), matrices_(matrices) {}
  void save(formats::NpzBuilder* file) const override {
    std::vector<double> values;
    std::vector<std::int64_t> sizes;
    for (const Journal::Entry& entry : entries_) {
      values.insert(values.end(), entry.begin(), entry.end());
      sizes.push_back(entry.size());
    }
    file->add(kSizes, std::span<const std::int64_t>(sizes));
    file->add(kEntries, std::span<const double>(values));
    matrices_->save(file);
  }
  void load(const formats::NpzFile& file) override { matrices_->load(file); }

 private:
  const std::vector<Journal::Entry>& entries_;
  Resumable* matrices_;
};

}  // namespace

Journal::Journal(Checkpoint& checkpoint) : checkpoint_(checkpoint) {
  if (!checkpoint_.resumed()) return;
  checkpoint_.read([this](const formats::NpzFile& file) { read(file); });
  std::uint64_t hash = entries_.size();
  for (const Entry& entry : entries_) hash = hash_of(values_of(entry), hash);
  checkpoint_.require_equal(hash);
}

void Journal::read(const formats::NpzFile& file) {
  for (const char* name : {kEntries, kSizes}) {
    if (!file.contains(name)) refuse(fmt::format("damaged checkpoint: no \"{}\"", name));
  }
  const RowMatrix<double> sizes = to_matrix(file.array(kSizes));
  const RowMatrix<double> values = to_matrix(file.array(kEntries));
  Index at = 0;
  for (const double size : sizes.reshaped()) {
    if (!(size >= 0 && size <= static_cast<double>(values.size() - at))) refuse("damaged checkpoint: sizes don't fit");
    const auto count = static_cast<Index>(size);
    entries_.emplace_back(Eigen::Map<const Vector<double>>(values.data() + at, count));
    at += count;
  }
  if (at != values.size()) refuse("damaged checkpoint: sizes don't fit");
}

std::optional<Journal::Entry> Journal::recall() {
  if (is_replaying()) return entries_[place_++];
  return std::nullopt;
}

void Journal::note(Entry entry) {
  if (!checkpoint_.is_open()) return;
  entries_.push_back(std::move(entry));
  place_ = entries_.size();
}

void Journal::reach(Resumable* matrices) {
  WithEntries all(entries_, matrices);
  checkpoint_.reach(&all);
}

void Journal::save(Resumable* matrices) { checkpoint_.save(WithEntries(entries_, matrices)); }

}  // namespace orthodict::solver
