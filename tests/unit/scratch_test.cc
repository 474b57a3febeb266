// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "files.h"
#include "files/scratch_file.h"

namespace orthodict {
namespace {

// TMPDIR names the folder of the test while it runs.
class DataScratch : public test::FolderTest {
 protected:
  DataScratch() {
    if (const char* const told = std::getenv("TMPDIR")) before_ = told;
    setenv("TMPDIR", path("").c_str(), 1);
  }
  ~DataScratch() override {
    if (before_.empty()) {
      unsetenv("TMPDIR");
    } else {
      setenv("TMPDIR", before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

TEST_F(DataScratch, HoldsWhatIsAppendedAndHasNoName) {
  files::ScratchFile file("y.h5");
  EXPECT_FALSE(file.is_used());
  file.reserve(6);
  EXPECT_TRUE(file.is_used());
  for (const std::string text : {"ab", "cde", "f"}) file.append(std::as_bytes(std::span(text)));
  std::string read(6, ' ');
  file.open().read(0, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, "abcdef");
  EXPECT_TRUE(files().empty());
}

TEST_F(DataScratch, SaysWhatThereIsNoRoomFor) {
  files::ScratchFile file("y.h5");
  const auto refusal = test::message_of([&] { file.reserve(std::size_t{1} << 60); });
  EXPECT_MENTIONS(refusal, "y.h5: is too large for memory, and a temporary file in " + path(""));
  EXPECT_MENTIONS(refusal, "TMPDIR");
}

TEST_F(DataScratch, MayBeInAFolderThatIsMissingAsLongAsItIsntNeeded) {
  setenv("TMPDIR", path("none").c_str(), 1);
  files::ScratchFile file("y.h5");
  EXPECT_FALSE(file.is_used());
  EXPECT_MENTIONS(test::message_of([&] { file.reserve(1); }), path("none"));
}

}  // namespace
}  // namespace orthodict
