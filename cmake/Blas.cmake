# SPDX-License-Identifier: Apache-2.0
# orthodict_blas: BLAS and LAPACK, called from src/linalg only.
#
# The best choice is an OpenBLAS archive, linked into the library with its symbols hidden: it can't meet the BLAS of the
# host process, and src/linalg/openblas_settings.cc holds it to one thread per call, since the engine brings its own. It
# must be the threaded build: the serial one of Debian isn't safe to call from several threads.
# Where there is none, any BLAS and LAPACK that CMake finds will do.
add_library(orthodict_blas INTERFACE)
find_library(ORTHODICT_OPENBLAS_ARCHIVE NAMES libopenblas.a PATH_SUFFIXES openblas-pthread
             DOC "Threaded OpenBLAS archive to link into the library")
find_library(ORTHODICT_GFORTRAN NAMES gfortran PATHS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES}
             DOC "Fortran runtime of the OpenBLAS archive")
if(ORTHODICT_OPENBLAS_ARCHIVE AND ORTHODICT_GFORTRAN AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  include(CheckCSourceRuns)
  set(CMAKE_REQUIRED_LIBRARIES ${ORTHODICT_OPENBLAS_ARCHIVE} ${ORTHODICT_GFORTRAN} m Threads::Threads)
  check_c_source_runs("int openblas_get_parallel(void); void dgesdd_(void); void* used = (void*)dgesdd_;
    int main(void) { return openblas_get_parallel() == 1 && used ? 0 : 1; }" ORTHODICT_OPENBLAS_ARCHIVE_IS_THREADED)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(ORTHODICT_OPENBLAS_ARCHIVE_IS_THREADED)
  message(STATUS "BLAS: OpenBLAS, linked in (${ORTHODICT_OPENBLAS_ARCHIVE})")
  target_link_libraries(orthodict_blas INTERFACE ${ORTHODICT_OPENBLAS_ARCHIVE} ${ORTHODICT_GFORTRAN} m)
  target_link_options(orthodict_blas INTERFACE LINKER:--exclude-libs,libopenblas.a LINKER:--wrap=getenv
    LINKER:--wrap=blas_memory_alloc,--wrap=blas_memory_free)
  target_compile_definitions(orthodict_blas INTERFACE ORTHODICT_PRIVATE_OPENBLAS)
else()
  set(BLA_SIZEOF_INTEGER 4)
  find_package(LAPACK REQUIRED)
  message(WARNING "BLAS: ${LAPACK_LIBRARIES}. It must be safe to call from several threads and keep to one thread per "
                  "call, or results may depend on the number of threads and runs will be slow.")
  target_link_libraries(orthodict_blas INTERFACE LAPACK::LAPACK BLAS::BLAS)
endif()
