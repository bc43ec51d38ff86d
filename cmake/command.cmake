# The command: all of src/cli but main() is a library of its own, so that the tests see the table of options.
plumb_layer_objects(cli)
string(JOIN ", " build "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" ${CMAKE_BUILD_TYPE}
       "${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}")
if(PLUMB_SANITIZE)
  string(APPEND build ", ${PLUMB_SANITIZE} sanitizer")
endif()
set_source_files_properties(src/cli/help.cpp PROPERTIES COMPILE_DEFINITIONS PLUMB_BUILD="${build}")
target_link_libraries(plumb_layer_cli PRIVATE fmt::fmt Threads::Threads)
add_library(plumb_cli STATIC $<TARGET_OBJECTS:plumb_layer_cli>)
set_target_properties(plumb_cli PROPERTIES LINKER_LANGUAGE CXX)
target_include_directories(plumb_cli PUBLIC src)
target_link_libraries(plumb_cli PUBLIC plumb plumb_options fmt::fmt PRIVATE Threads::Threads)

# Models given as --spec are shared objects that call back into the command: it holds all of the library, and exports it.
add_executable(plumb_command src/cli/main.cpp)
set_target_properties(plumb_command PROPERTIES OUTPUT_NAME plumb ENABLE_EXPORTS ON
                      LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,plumb" RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(plumb_command PRIVATE plumb_cli)
plumb_warnings(plumb_command)
