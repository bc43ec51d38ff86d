# The Debian packages, by CPack: `make package`. plumb has everything that is installed: the command, the libraries with their
# headers, the manual page, the completions, the documentation; but for the helper of --mpi, which is plumb-mpi and brings MPI.
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/made/changelog.gz
  COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${PROJECT_BINARY_DIR}/made/changelog.gz
  DEPENDS CHANGELOG.md VERBATIM)
add_custom_target(plumb_changelog ALL DEPENDS ${PROJECT_BINARY_DIR}/made/changelog.gz)
add_dependencies(plumb_installed plumb_changelog)
install(FILES ${PROJECT_BINARY_DIR}/made/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
if(TARGET plumb_mpi)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}-mpi RENAME copyright COMPONENT mpi)
  install(FILES ${PROJECT_BINARY_DIR}/made/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR}-mpi COMPONENT mpi)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
# The examples stand on their own, but for the subjects. Programs are built from them, so they are no documentation, which some machines
# leave out; the pages link to them from beside them, as in a clone.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/plumb USE_SOURCE_PERMISSIONS
        PATTERN examples/CMakeLists.txt EXCLUDE PATTERN subjects EXCLUDE PATTERN __pycache__ EXCLUDE)
install(CODE "file(CREATE_LINK ../../plumb/examples
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/examples\" SYMBOLIC)")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The plumb authors <plumb@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "linearizability toolkit: checks histories, tests C++ classes")
set(CPACK_PACKAGE_DESCRIPTION "plumb decides whether recorded histories of concurrent objects and
distributed stores are linearizable and explains violations; its library
runs unmodified C++ classes through the interleavings of their threads and
hands back the smallest failing test.")
set(CPACK_PACKAGE_FILE_NAME plumb_${PROJECT_VERSION}_${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# What programs need that are linked with the libraries.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "g++, libfmt-dev, libabsl-dev, libsimdjson-dev, zlib1g-dev, libzstd-dev, libdw-dev, cmake")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME plumb)
set(CPACK_DEBIAN_UNSPECIFIED_FILE_NAME ${CPACK_PACKAGE_FILE_NAME}.deb)
# libplumb_record is found by the loader once its cache knows it.
file(WRITE ${PROJECT_BINARY_DIR}/made/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/made/triggers)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME plumb-mpi)
set(CPACK_DEBIAN_MPI_FILE_NAME plumb-mpi_${PROJECT_VERSION}_${CMAKE_SYSTEM_PROCESSOR}.deb)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "plumb (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_COMPONENT_MPI_DESCRIPTION "This is the helper of --mpi, by which the ranks of a run on several
machines find each other.")
include(CPack)
