# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

install(TARGETS orthodict EXPORT orthodictTargets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/orthodict" "${PROJECT_BINARY_DIR}/include/orthodict"
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "mpi.h" EXCLUDE)
if(ORTHODICT_HAS_MPI)
  install(TARGETS orthodict_mpi EXPORT orthodictMpiTargets)
  install(FILES "${PROJECT_SOURCE_DIR}/include/orthodict/mpi.h" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orthodict)
endif()
if(ORTHODICT_BUILD_CLI)
  install(TARGETS orthodict_cli)
endif()

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/orthodict)
install(EXPORT orthodictTargets NAMESPACE orthodict:: DESTINATION ${config_dir})
if(ORTHODICT_HAS_MPI)
  install(EXPORT orthodictMpiTargets NAMESPACE orthodict:: DESTINATION ${config_dir})
endif()
configure_package_config_file(cmake/orthodictConfig.cmake.in "${PROJECT_BINARY_DIR}/orthodictConfig.cmake"
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/orthodictConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
# The prefix is found from where the .pc file is, so that the installed tree can be moved.
file(RELATIVE_PATH pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/orthodict.pc.in "${PROJECT_BINARY_DIR}/orthodict.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/orthodictConfig.cmake" "${PROJECT_BINARY_DIR}/orthodictConfigVersion.cmake"
        DESTINATION ${config_dir})
install(FILES "${PROJECT_BINARY_DIR}/orthodict.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
