# The Debian packages, by CPack: `make package`. plumb has everything that is installed: the command, the libraries with their
# headers, the manual page, the completions, the documentation; but for the helper of --mpi, which is plumb-mpi and brings MPI; and
# python3-plumb is the package of Python.
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
if(TARGET plumb_native)
  # Python finds it there under /usr; everybody else takes pip. So it is in the Debian package, and not in what `make install` installs.
  set(PLUMB_PYTHON_INSTALL_DIR lib/python3/dist-packages/plumb)
  install(TARGETS plumb_native LIBRARY DESTINATION ${PLUMB_PYTHON_INSTALL_DIR} COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES ${PLUMB_PYTHON_MODULES} DESTINATION ${PLUMB_PYTHON_INSTALL_DIR} COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-plumb RENAME copyright COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES ${PROJECT_BINARY_DIR}/made/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-plumb COMPONENT python EXCLUDE_FROM_ALL)
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
machines talk to each other.")
if(TARGET plumb_native)
  # Compiled where it is installed, as Debian's packages are.
  file(WRITE ${PROJECT_BINARY_DIR}/made/postinst "#!/bin/sh\nset -e\nif command -v py3compile >/dev/null; then py3compile -p python3-plumb; fi\n")
  file(WRITE ${PROJECT_BINARY_DIR}/made/prerm "#!/bin/sh\nset -e\nif command -v py3clean >/dev/null; then py3clean -p python3-plumb; fi\n")
  file(CHMOD ${PROJECT_BINARY_DIR}/made/postinst ${PROJECT_BINARY_DIR}/made/prerm
       PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  math(EXPR plumb_next_python "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-plumb)
  set(CPACK_DEBIAN_PYTHON_FILE_NAME python3-plumb_${PROJECT_VERSION}_${CMAKE_SYSTEM_PROCESSOR}.deb)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${plumb_next_python})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "plumb, g++")  # models in C++
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/made/postinst ${PROJECT_BINARY_DIR}/made/prerm)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "This is the package of Python, which checks, records and watches histories
in Python and in notebooks.")
endif()
include(CPack)
