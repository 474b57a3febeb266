# SPDX-License-Identifier: Apache-2.0
# Optional parts, which have optional dependencies. ORTHODICT_WITH_PART requests a part (AUTO, ON, OFF);
# ORTHODICT_HAS_PART is whether it is built.
function(optional_part part what)
  set(ORTHODICT_WITH_${part} AUTO CACHE STRING "${what}: ON, OFF, or AUTO for where its dependencies are found")
  set_property(CACHE ORTHODICT_WITH_${part} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ORTHODICT_WITH_${part} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "ORTHODICT_WITH_${part} is ${ORTHODICT_WITH_${part}}; legal: AUTO, ON, OFF")
  endif()
endfunction()

# settle_part(PART NEEDS CONDITION...) sets ORTHODICT_HAS_PART. CONDITION is whether the dependency was found; NEEDS names
# it for the error message.
macro(settle_part part needs)
  set(ORTHODICT_HAS_${part} OFF)
  if(NOT ORTHODICT_WITH_${part})
    message(STATUS "Left out: ORTHODICT_WITH_${part} is ${ORTHODICT_WITH_${part}}")
  elseif(${ARGN})
    set(ORTHODICT_HAS_${part} ON)
  elseif(ORTHODICT_WITH_${part} STREQUAL "AUTO")
    message(STATUS "Left out: ORTHODICT_WITH_${part} (needs ${needs})")
  else()
    message(FATAL_ERROR "ORTHODICT_WITH_${part} is ${ORTHODICT_WITH_${part}}, but what it needs wasn't found: ${needs}")
  endif()
endmacro()

optional_part(HDF5 "Read HDF5 and MATLAB 7.3 files")
optional_part(IMAGES "Read and write PNG and JPEG files")
optional_part(TIFF "Read and write TIFF files")
optional_part(REPORT "The page of orthodict report")
optional_part(MPI "orthodict::mpi, and the command on several ranks")

if(ORTHODICT_WITH_HDF5)
  find_package(HDF5 QUIET COMPONENTS C)
endif()
settle_part(HDF5 "the HDF5 library; Debian: libhdf5-dev" HDF5_FOUND)

if(ORTHODICT_WITH_IMAGES)
  find_package(PNG QUIET)
  find_package(JPEG QUIET)
endif()
settle_part(IMAGES "libpng and libjpeg; Debian: libpng-dev and libjpeg62-turbo-dev" PNG_FOUND AND JPEG_FOUND)

if(ORTHODICT_WITH_TIFF)
  find_package(TIFF 4.5 QUIET)
endif()
settle_part(TIFF "libtiff 4.5; Debian: libtiff-dev" TIFF_FOUND)

if(ORTHODICT_WITH_MPI)
  find_package(MPI QUIET COMPONENTS C)
endif()
settle_part(MPI "MPI; Debian: libopenmpi-dev" MPI_C_FOUND)

# Not cached, because npm may install it later.
set(ORTHODICT_UPLOT_DIR "${PROJECT_SOURCE_DIR}/report/node_modules/uplot" CACHE PATH
    "uPlot 1.6, which the report draws with: LICENSE, dist/uPlot.iife.min.js and dist/uPlot.min.css")
set(uplot_found OFF)
if(EXISTS "${ORTHODICT_UPLOT_DIR}/dist/uPlot.iife.min.js" AND EXISTS "${ORTHODICT_UPLOT_DIR}/dist/uPlot.min.css"
   AND EXISTS "${ORTHODICT_UPLOT_DIR}/LICENSE")
  set(uplot_found ON)
endif()
settle_part(REPORT "uPlot: npm ci in report/, or ORTHODICT_UPLOT_DIR" uplot_found)
