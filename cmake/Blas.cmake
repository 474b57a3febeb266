# SPDX-License-Identifier: Apache-2.0
# orthodict_blas: BLAS and LAPACK, called from src/linalg only.
#
# The engine brings its own threads, so the BLAS beneath should have none. The best choice is therefore a serial OpenBLAS
# archive, linked into the library with its symbols hidden: it can neither start threads of its own nor meet the BLAS of
# the host process. Where there is none, any BLAS and LAPACK that CMake finds will do.
add_library(orthodict_blas INTERFACE)
find_library(ORTHODICT_SERIAL_OPENBLAS NAMES libopenblas.a PATH_SUFFIXES openblas-serial
             DOC "Serial OpenBLAS archive to link into the library")
find_library(ORTHODICT_GFORTRAN NAMES gfortran PATHS ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES}
             DOC "Fortran runtime of the OpenBLAS archive")
if(ORTHODICT_SERIAL_OPENBLAS MATCHES "openblas-serial" AND ORTHODICT_GFORTRAN)
  message(STATUS "BLAS: serial OpenBLAS, linked in (${ORTHODICT_SERIAL_OPENBLAS})")
  target_link_libraries(orthodict_blas INTERFACE ${ORTHODICT_SERIAL_OPENBLAS} ${ORTHODICT_GFORTRAN} m)
  target_link_options(orthodict_blas INTERFACE LINKER:--exclude-libs,libopenblas.a)
else()
  find_package(LAPACK REQUIRED)
  message(STATUS "BLAS: ${LAPACK_LIBRARIES}")
  target_link_libraries(orthodict_blas INTERFACE LAPACK::LAPACK BLAS::BLAS)
endif()
