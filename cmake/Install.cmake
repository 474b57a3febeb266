# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)
include(Notices)

install(TARGETS orthodict EXPORT orthodictTargets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/orthodict" "${PROJECT_BINARY_DIR}/include/orthodict"
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "mpi.h" EXCLUDE)
if(ORTHODICT_HAS_MPI)
  install(TARGETS orthodict_mpi EXPORT orthodictMpiTargets)
  install(FILES "${PROJECT_SOURCE_DIR}/include/orthodict/mpi.h" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orthodict)
endif()
if(ORTHODICT_BUILD_CLI)
  install(TARGETS orthodict_cli)
  set(documents "${PROJECT_BINARY_DIR}/documents")
  file(MAKE_DIRECTORY "${documents}")
  install(DIRECTORY "${documents}/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES "${documents}/orthodict.bash" RENAME orthodict OPTIONAL
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES "${documents}/_orthodict" OPTIONAL DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES "${documents}/orthodict.fish" OPTIONAL DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install_notices(DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/orthodict)
install(EXPORT orthodictTargets NAMESPACE orthodict:: DESTINATION ${config_dir})
if(ORTHODICT_HAS_MPI)
  install(EXPORT orthodictMpiTargets NAMESPACE orthodict:: DESTINATION ${config_dir})
endif()
configure_package_config_file(cmake/orthodictConfig.cmake.in "${PROJECT_BINARY_DIR}/orthodictConfig.cmake"
                              INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/orthodictConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
# The prefix is found from where the .pc file is, so that the installed tree can be moved, unless a folder of the tree is
# absolute.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  set(pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  set(pc_prefix "\${pcfiledir}/${pc_to_prefix}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/orthodict.pc.in "${PROJECT_BINARY_DIR}/orthodict.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/orthodictConfig.cmake" "${PROJECT_BINARY_DIR}/orthodictConfigVersion.cmake"
        DESTINATION ${config_dir})
install(FILES "${PROJECT_BINARY_DIR}/orthodict.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
