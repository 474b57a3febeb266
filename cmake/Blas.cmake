# SPDX-License-Identifier: Apache-2.0
# The target orthodict_blas: BLAS and LAPACK for src/linalg. ORTHODICT_BLAS chooses between
#
# private: a static OpenBLAS, linked into the library with hidden symbols, so that it can't conflict with a BLAS of the
# host process. src/linalg/private_blas_settings.cc limits it to one thread per call, since the engine has its own
# threads. It must be the threaded build, because Debian's serial build isn't safe to call from several threads.
# system: the library that FindLAPACK finds. src/linalg/system_blas.cc limits it to one thread per call. The default for
# a static liborthodict, which can't hide symbols.
set(ORTHODICT_BLAS AUTO CACHE STRING "BLAS and LAPACK: private (the archive of OpenBLAS, linked in), system (whatever \
FindLAPACK finds), or AUTO for private where the archive is found")
set_property(CACHE ORTHODICT_BLAS PROPERTY STRINGS AUTO private system)
if(NOT ORTHODICT_BLAS MATCHES "^(AUTO|private|system)$")
  message(FATAL_ERROR "ORTHODICT_BLAS is ${ORTHODICT_BLAS}; legal: private, system, AUTO")
endif()

add_library(orthodict_blas INTERFACE)
set(ORTHODICT_BLAS_IS_PRIVATE OFF)
if(NOT ORTHODICT_BLAS STREQUAL "system" AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND ORTHODICT_LIBRARY_TYPE STREQUAL "SHARED")
  find_library(ORTHODICT_OPENBLAS_ARCHIVE NAMES libopenblas.a PATH_SUFFIXES openblas-pthread
               DOC "Threaded OpenBLAS archive to link into the library")
  find_library(ORTHODICT_GFORTRAN NAMES gfortran PATHS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES}
               DOC "Fortran runtime of the OpenBLAS archive")
  if(ORTHODICT_OPENBLAS_ARCHIVE AND ORTHODICT_GFORTRAN)
    # exec_blas() exists in the build with pthreads, not in the serial one; the OpenMP build doesn't link here.
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES ${ORTHODICT_OPENBLAS_ARCHIVE} ${ORTHODICT_GFORTRAN} m Threads::Threads)
    check_c_source_compiles("void exec_blas(void); void dgesdd_(void); int main(void) { exec_blas(); dgesdd_(); return 0; }"
                            ORTHODICT_OPENBLAS_ARCHIVE_IS_USABLE)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(ORTHODICT_BLAS_IS_PRIVATE ${ORTHODICT_OPENBLAS_ARCHIVE_IS_USABLE})
  endif()
endif()

if(ORTHODICT_BLAS_IS_PRIVATE)
  message(STATUS "BLAS: OpenBLAS, linked in (${ORTHODICT_OPENBLAS_ARCHIVE})")
  target_link_libraries(orthodict_blas INTERFACE ${ORTHODICT_OPENBLAS_ARCHIVE} ${ORTHODICT_GFORTRAN} m)
  target_link_options(orthodict_blas INTERFACE LINKER:--exclude-libs,libopenblas.a LINKER:--wrap=getenv
    LINKER:--wrap=blas_memory_alloc,--wrap=blas_memory_free)
elseif(ORTHODICT_BLAS STREQUAL "private" AND ORTHODICT_LIBRARY_TYPE STREQUAL "STATIC")
  message(FATAL_ERROR "ORTHODICT_BLAS is private, but the library is static and can't hide its symbols; legal: system")
elseif(ORTHODICT_BLAS STREQUAL "private")
  message(FATAL_ERROR "ORTHODICT_BLAS is private, but there is no archive of OpenBLAS with threads and LAPACK, or no "
                      "libgfortran. Debian: libopenblas-pthread-dev, gfortran")
else()
  set(BLA_SIZEOF_INTEGER 4)
  find_package(LAPACK REQUIRED)
  message(STATUS "BLAS: ${LAPACK_LIBRARIES}")
  target_link_libraries(orthodict_blas INTERFACE LAPACK::LAPACK BLAS::BLAS)
endif()
