// SPDX-License-Identifier: Apache-2.0
// Replays the fuzzing corpus: parsers may throw Error and nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zip.h>

#include <string>
#include <vector>

#include "targets.h"

namespace orthodict {
namespace {

std::vector<std::vector<std::uint8_t>> members(const std::string& path) {
  int error = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, &error);
  if (archive == nullptr) return {};
  std::vector<std::vector<std::uint8_t>> all;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t stat;
    zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &stat);
    std::vector<std::uint8_t> data(stat.size);
    zip_file_t* const file = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
    EXPECT_EQ(zip_fread(file, data.data(), data.size()), static_cast<zip_int64_t>(data.size()));
    zip_fclose(file);
    all.push_back(std::move(data));
  }
  zip_discard(archive);
  return all;
}

// Processor time of this process and its finished children, since wall-clock time would include other load.
double processor_seconds() {
  double seconds = 0.0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsReadOrRefusedQuickly) {
  const auto inputs = members(fmt::format("{}/../corpus/{}.zip", ORTHODICT_TEST_DATA, GetParam()));
  ASSERT_GE(inputs.size(), 10u);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double start = processor_seconds();
    EXPECT_NO_THROW(fuzz::run(GetParam(), inputs[i])) << "member " << i;
    EXPECT_LT(processor_seconds() - start, 5.0) << "member " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(fuzz::targets()),
                         [](const auto& target) { return target.param; });

}  // namespace
}  // namespace orthodict
