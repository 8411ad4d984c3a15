# Installs the library, its headers, the package for find_package(strew CONFIG) and strew.pc.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(strew_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/strew)

install(TARGETS strew EXPORT strew-targets FILE_SET HEADERS)
install(EXPORT strew-targets NAMESPACE strew:: DESTINATION ${strew_package_dir})

# Programs that use a static library must link its dependencies; a shared library has recorded them. An installed tree contains only one
# kind, so pkg-config needs no --static.
set(strew_dependencies)
set(strew_pc_static_libs)
if(strew_type STREQUAL "STATIC_LIBRARY")
  if(TBB_FOUND)
    string(APPEND strew_dependencies "find_dependency(TBB)\n")
    string(APPEND strew_pc_static_libs " -ltbb")
  endif()
  if(hwy_FOUND)
    string(APPEND strew_dependencies "find_dependency(hwy)\n")
    string(APPEND strew_pc_static_libs " -lhwy")
  endif()
endif()

configure_package_config_file(cmake/strew-config.cmake.in strew-config.cmake INSTALL_DESTINATION ${strew_package_dir})
write_basic_package_version_file(strew-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/strew-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/strew-config-version.cmake
  DESTINATION ${strew_package_dir})

# The prefix relative to the directory of strew.pc, so that an installed tree can be moved.
file(RELATIVE_PATH strew_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/strew.pc.in strew.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/strew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
