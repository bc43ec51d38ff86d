# The package of Python, build/python/plumb: the extension _native, of src/python, and the modules beside it. It holds the whole library, and
# needs nothing of plumb that is installed.
find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
set(PYBIND11_NOPYTHON ON)  # which Python is said above
find_package(pybind11 CONFIG QUIET)
set(PLUMB_HAS_PYTHON FALSE)
if(NOT TARGET Python3::Module OR NOT TARGET pybind11::headers)
  message(STATUS "python: no package, for want of pybind11-dev or python3-dev")
  return()
endif()
set(PLUMB_HAS_PYTHON TRUE)

set(PLUMB_PYTHON_DIR ${PROJECT_BINARY_DIR}/python/plumb)
file(GLOB plumb_python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/*.cpp)
Python3_add_library(plumb_native MODULE WITH_SOABI ${plumb_python_sources})
set_target_properties(plumb_native PROPERTIES OUTPUT_NAME _native LIBRARY_OUTPUT_DIRECTORY ${PLUMB_PYTHON_DIR}
                      LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,plumb")
target_include_directories(plumb_native PRIVATE src)
target_compile_features(plumb_native PRIVATE cxx_std_20)
target_compile_options(plumb_native PRIVATE -fvisibility=hidden)  # pybind11's own types are
target_link_libraries(plumb_native PRIVATE pybind11::headers plumb plumb_document fmt::fmt absl::flat_hash_map ${CMAKE_DL_LIBS}
                      Threads::Threads)
plumb_warnings(plumb_native)

file(GLOB PLUMB_PYTHON_MODULES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/python/plumb/*.py
     ${PROJECT_SOURCE_DIR}/src/python/plumb/*.pyi ${PROJECT_SOURCE_DIR}/src/python/plumb/py.typed)
add_custom_command(OUTPUT ${PLUMB_PYTHON_DIR}/py.typed
  COMMAND ${CMAKE_COMMAND} -E copy ${PLUMB_PYTHON_MODULES} ${PLUMB_PYTHON_DIR}
  COMMAND ${CMAKE_COMMAND} -E touch ${PLUMB_PYTHON_DIR}/py.typed
  DEPENDS ${PLUMB_PYTHON_MODULES} VERBATIM)
add_custom_target(plumb_python ALL DEPENDS ${PLUMB_PYTHON_DIR}/py.typed)
add_dependencies(plumb_python plumb_native)
