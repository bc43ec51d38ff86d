# plumb::c, checking for programs in C and whatever can load a shared library: plumb/plumb.h, and nothing else is visible.
add_library(plumb_c SHARED src/capi/c_checking.cpp)
add_library(plumb::c ALIAS plumb_c)
set_target_properties(plumb_c PROPERTIES EXPORT_NAME c CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} VERSION ${PROJECT_VERSION}
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(plumb_c
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_compile_features(plumb_c PRIVATE cxx_std_20)
# The same definitions as the layers have: a header of a dependency must not mean two things.
target_link_libraries(plumb_c PRIVATE plumb ${PLUMB_DEPENDENCIES})
target_link_options(plumb_c PRIVATE -Wl,--exclude-libs,ALL)
plumb_warnings(plumb_c)
