# plumb::record, the recorder for programs in C and whatever can load a shared library: plumb/record.h, and nothing else is
# visible. plumb::plumb has the same inside, for C++.
set(PLUMB_RECORD_SOURCES c_interface clock file_storage log_block memory_storage recorder thread_log)
list(TRANSFORM PLUMB_RECORD_SOURCES REPLACE "(.+)" "src/record/\\1.cpp")
add_library(plumb_record SHARED ${PLUMB_RECORD_SOURCES} src/base/hash.cpp)
add_library(plumb::record ALIAS plumb_record)
set_target_properties(plumb_record PROPERTIES EXPORT_NAME record CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} VERSION ${PROJECT_VERSION}
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(plumb_record
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_include_directories(plumb_record SYSTEM PRIVATE ${PLUMB_XXHASH_INCLUDE})
target_compile_features(plumb_record PRIVATE cxx_std_20)
target_link_libraries(plumb_record PRIVATE Threads::Threads)
plumb_warnings(plumb_record)
