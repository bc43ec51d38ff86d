# plumb::test, which tests a class without a specification (Line-Up). It joins the engine and the checkers, but does not link
# the engine: plumb_instrument() does, whole.
plumb_layer_objects(testing)
# Parts of it run inside executions: the guards of its statics must not become scheduling points.
target_compile_options(plumb_layer_testing PRIVATE -fPIE -fno-threadsafe-statics)
target_link_libraries(plumb_layer_testing PRIVATE fmt::fmt simdjson::simdjson)
add_library(plumb_test STATIC $<TARGET_OBJECTS:plumb_layer_testing>)
add_library(plumb::test ALIAS plumb_test)
set_target_properties(plumb_test PROPERTIES EXPORT_NAME test LINKER_LANGUAGE CXX)
target_link_libraries(plumb_test PUBLIC plumb PRIVATE plumb_options fmt::fmt simdjson::simdjson)

# `main`, for programs that have none of their own.
add_library(plumb_test_main STATIC ${PROJECT_SOURCE_DIR}/src/testing/main.cpp)
add_library(plumb::test_main ALIAS plumb_test_main)
set_target_properties(plumb_test_main PROPERTIES EXPORT_NAME test_main)
target_link_libraries(plumb_test_main PUBLIC plumb_test)
plumb_warnings(plumb_test_main)
