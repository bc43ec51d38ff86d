# plumb::test, which tests a class without a specification (Line-Up). It joins the engine and the checkers, but does not link
# the engine: plumb_instrument() does, whole.
find_package(CLI11 CONFIG REQUIRED)
file(GLOB PLUMB_TEST_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/observe/*.cpp)
list(FILTER PLUMB_TEST_SOURCES EXCLUDE REGEX "/main.cpp$")
add_library(plumb_test STATIC ${PLUMB_TEST_SOURCES})
add_library(plumb::test ALIAS plumb_test)
set_target_properties(plumb_test PROPERTIES EXPORT_NAME test)
target_include_directories(plumb_test PRIVATE src)
# Parts of it run inside executions: the guards of its statics must not become scheduling points.
target_compile_options(plumb_test PRIVATE -fPIE -fno-threadsafe-statics)
target_link_libraries(plumb_test PUBLIC plumb PRIVATE fmt::fmt simdjson::simdjson
                      $<BUILD_INTERFACE:CLI11::CLI11>)  # headers only: who uses the package needs none of it
plumb_warnings(plumb_test)

# `main`, for programs that have none of their own.
add_library(plumb_test_main STATIC ${PROJECT_SOURCE_DIR}/src/observe/main.cpp)
add_library(plumb::test_main ALIAS plumb_test_main)
set_target_properties(plumb_test_main PROPERTIES EXPORT_NAME test_main)
target_link_libraries(plumb_test_main PUBLIC plumb_test)
plumb_warnings(plumb_test_main)
