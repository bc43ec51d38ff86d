# The package: find_package(plumb) gives plumb::plumb, with the libraries it stands on found along the way.
include(CMakePackageConfigHelpers)

set(PLUMB_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
install(TARGETS plumb EXPORT plumbTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/plumb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
        PATTERN "explore.hpp" EXCLUDE)  # the engine is not part of the package yet
if(TARGET plumb_command)
  install(TARGETS plumb_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(EXPORT plumbTargets NAMESPACE plumb:: DESTINATION ${PLUMB_PACKAGE_DIR})

configure_package_config_file(cmake/plumbConfig.cmake.in ${PROJECT_BINARY_DIR}/plumbConfig.cmake
                              INSTALL_DESTINATION ${PLUMB_PACKAGE_DIR})
# 0.x: any minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plumbConfig.cmake ${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake
        DESTINATION ${PLUMB_PACKAGE_DIR})
