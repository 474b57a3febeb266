# SPDX-License-Identifier: Apache-2.0
# All dependencies. The public headers need only Eigen; the others are private to the library.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(hwy REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
# Not libzip's CMake package, which requires its command-line tools; Debian packages these separately.
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)

include(Blas)
include(OptionalParts)

if(ORTHODICT_BUILD_CLI)
  find_package(CLI11 REQUIRED)
endif()
if(ORTHODICT_BUILD_TESTS STREQUAL "AUTO")
  find_package(GTest QUIET)
  set(ORTHODICT_BUILD_TESTS ${GTest_FOUND})
elseif(ORTHODICT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(ORTHODICT_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
