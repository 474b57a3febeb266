# SPDX-License-Identifier: Apache-2.0
# Compiler options of this project's targets, which link to orthodict_options privately.
add_library(orthodict_options INTERFACE)
target_compile_features(orthodict_options INTERFACE cxx_std_20)
target_compile_options(orthodict_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # Contracting a·b + c into a fused multiply-add would make results depend on the compiler and the target.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # False positives of GCC 12: overlaps in std::string's operator+ (GCC bug 105651) and overflows in Eigen's vectors.
  target_compile_options(orthodict_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
# Hardening, because the library reads untrusted files.
if(ORTHODICT_HARDEN AND NOT ORTHODICT_SANITIZE)
  target_compile_options(orthodict_options INTERFACE -fstack-protector-strong
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(orthodict_options INTERFACE -fcf-protection)
  endif()
  target_link_options(orthodict_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(ORTHODICT_WARNINGS_AS_ERRORS)
  target_compile_options(orthodict_options INTERFACE -Werror)
endif()
if(ORTHODICT_SANITIZE)
  target_compile_options(orthodict_options INTERFACE -fsanitize=${ORTHODICT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all
    # Enables the assertions of Eigen and of the standard library.
    -UNDEBUG -D_GLIBCXX_ASSERTIONS)
  target_link_options(orthodict_options INTERFACE -fsanitize=${ORTHODICT_SANITIZE})
endif()
