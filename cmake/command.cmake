# The command: all of src/cli but main() is a library of its own, so that the tests see the table of options.
find_package(CLI11 CONFIG REQUIRED)
file(GLOB PLUMB_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
list(FILTER PLUMB_CLI_SOURCES EXCLUDE REGEX "/main\\.cpp$")
add_library(plumb_cli STATIC ${PLUMB_CLI_SOURCES})
target_include_directories(plumb_cli PUBLIC src)
target_compile_definitions(plumb_cli PRIVATE PLUMB_VERSION="${PROJECT_VERSION}")
string(JOIN ", " build "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" ${CMAKE_BUILD_TYPE}
       "${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}")
if(PLUMB_SANITIZE)
  string(APPEND build ", ${PLUMB_SANITIZE} sanitizer")
endif()
set_source_files_properties(src/cli/help.cpp PROPERTIES COMPILE_DEFINITIONS PLUMB_BUILD="${build}")
target_link_libraries(plumb_cli PUBLIC plumb fmt::fmt PRIVATE CLI11::CLI11 Threads::Threads)
plumb_warnings(plumb_cli)

# Models given as --spec are shared objects that call back into the command: it holds all of the library, and exports it.
add_executable(plumb_command src/cli/main.cpp)
set_target_properties(plumb_command PROPERTIES OUTPUT_NAME plumb ENABLE_EXPORTS ON
                      LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,plumb" RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(plumb_command PRIVATE plumb_cli)
plumb_warnings(plumb_command)
