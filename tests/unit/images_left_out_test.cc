// SPDX-License-Identifier: Apache-2.0
// A build without PNG and JPEG.
#include "files.h"
#include "orthodict/image.h"

namespace orthodict {
namespace {

using WithoutPngAndJpeg = test::FolderTest;

const std::string kLeftOut = "built without PNG and JPEG (ORTHODICT_WITH_IMAGES)";

TEST_F(WithoutPngAndJpeg, TheyAreNotRead) {
  for (const char* start : {"\x89PNG\r\n\x1A\n", "\xFF\xD8\xFF"}) {
    const std::string file = write("image", start);
    EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(read_image(file)); }), kLeftOut);
  }
}

TEST_F(WithoutPngAndJpeg, TheyAreNotWritten) {
  const Image image{.height = 1, .width = 1, .pixels = {0}};
  for (const char* name : {"x.png", "x.jpg"}) {
    EXPECT_MENTIONS(test::message_of([&] { write_image(path(name), image); }, Fault::kOption), kLeftOut);
  }
  write_image(path("x.pgm"), image);
}

}  // namespace
}  // namespace orthodict
