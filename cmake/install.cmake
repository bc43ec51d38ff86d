# The package: find_package(plumb) gives plumb::plumb, with the libraries it stands on found along the way, plumb::record, and where libdw
# is there plumb::explore with plumb_instrument(), and plumb::test with plumb_add_test():
# find_package(plumb REQUIRED COMPONENTS explore test) insists on them.
include(CMakePackageConfigHelpers)

set(PLUMB_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/plumb)
# All that is installed: who builds single targets, as `make demo` does, has not all of it. That is said before anything is copied.
set(PLUMB_INSTALLED plumb plumb_document plumb_record)
foreach(target plumb_c plumb_command plumb_mpi plumb_explore plumb_options plumb_test plumb_test_main)
  if(TARGET ${target})
    list(APPEND PLUMB_INSTALLED ${target})
  endif()
endforeach()
add_custom_target(plumb_installed)
add_dependencies(plumb_installed ${PLUMB_INSTALLED})
list(TRANSFORM PLUMB_INSTALLED REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE PLUMB_INSTALLED_FILES)
install(CODE "
  set(missing)
  foreach(file ${PLUMB_INSTALLED_FILES})
    if(NOT EXISTS \"\${file}\")
      cmake_path(GET file FILENAME name)
      list(APPEND missing \"\${name}\")
    endif()
  endforeach()
  if(missing)
    list(JOIN missing \", \" missing)
    message(FATAL_ERROR \"Not built yet: \${missing}. 'make install PREFIX=…' builds and installs; or build first, with: cmake --build ${PROJECT_BINARY_DIR} --target plumb_installed\")
  endif()")
install(TARGETS plumb plumb_document plumb_record EXPORT plumbTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET plumb_c)
  install(TARGETS plumb_c EXPORT plumbTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/plumb DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.def")
if(TARGET plumb_command)
  install(TARGETS plumb_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The command writes its own manual page and completions, from its table of options.
  set(PLUMB_MADE ${PROJECT_BINARY_DIR}/made)
  file(MAKE_DIRECTORY ${PLUMB_MADE})
  add_custom_command(OUTPUT ${PLUMB_MADE}/plumb.1.gz ${PLUMB_MADE}/plumb ${PLUMB_MADE}/_plumb
    COMMAND plumb_command --man-page > ${PLUMB_MADE}/plumb.1
    COMMAND gzip -9nf ${PLUMB_MADE}/plumb.1
    COMMAND plumb_command --completion bash > ${PLUMB_MADE}/plumb
    COMMAND plumb_command --completion zsh > ${PLUMB_MADE}/_plumb
    DEPENDS plumb_command VERBATIM)
  add_custom_target(plumb_made ALL DEPENDS ${PLUMB_MADE}/plumb.1.gz)
  add_dependencies(plumb_installed plumb_made)
  install(FILES ${PLUMB_MADE}/plumb.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PLUMB_MADE}/plumb DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PLUMB_MADE}/_plumb DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()
if(TARGET plumb_mpi)
  # A component of its own: who has one machine needs no MPI.
  install(TARGETS plumb_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/plumb COMPONENT mpi)
endif()
# From where it is found itself, so that a prefix may be moved; not where the folders were given as absolute paths.
cmake_path(APPEND CMAKE_INSTALL_LIBDIR pkgconfig OUTPUT_VARIABLE plumb_pc_folder)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(plumb_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH plumb_pc_up "/${plumb_pc_folder}" "/")
  string(REGEX REPLACE "/$" "" plumb_pc_prefix "\${pcfiledir}/${plumb_pc_up}")
endif()
foreach(folder LIBDIR INCLUDEDIR)
  string(TOLOWER "plumb_pc_${folder}" variable)
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_${folder} BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE ${variable})
endforeach()
configure_file(cmake/plumb.pc.in ${PROJECT_BINARY_DIR}/plumb.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plumb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT plumbTargets NAMESPACE plumb:: DESTINATION ${PLUMB_PACKAGE_DIR})
if(TARGET plumb_explore)
  # A set of its own: who only checks histories needs none of what it stands on.
  install(TARGETS plumb_explore plumb_options plumb_test plumb_test_main EXPORT plumbExploreTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT plumbExploreTargets NAMESPACE plumb:: DESTINATION ${PLUMB_PACKAGE_DIR})
  install(FILES cmake/explore.cmake cmake/discover.cmake cmake/instrumented.h cmake/instrumented.ld cmake/FindLibDw.cmake DESTINATION ${PLUMB_PACKAGE_DIR})
endif()

configure_package_config_file(cmake/plumbConfig.cmake.in ${PROJECT_BINARY_DIR}/plumbConfig.cmake
                              INSTALL_DESTINATION ${PLUMB_PACKAGE_DIR})
# 0.x: any minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plumbConfig.cmake ${PROJECT_BINARY_DIR}/plumbConfigVersion.cmake
        DESTINATION ${PLUMB_PACKAGE_DIR})
