# plumb::explore, the engine that runs code through its interleavings, and plumb_instrument(), which makes a program that
# it can run.
#
#   plumb_instrument(TARGET SOURCES…)   adds the sources to the executable, compiled with the compiler's hooks
#   plumb_add_test(NAME SOURCES… [OPTIONS …])   makes a program of tests (PLUMB_TEST) and has CTest run each, with these options
#   plumb_add_stress_test(NAME SOURCES… [OPTIONS …])   the same without the hooks, for stress only: real memory orders, full speed
#
# Both register every test under its own name, as gtest_discover_tests() does: the program is asked for them when it has been built. Each
# has the label NAME. [TEST_PREFIX text] goes in front of the names; [TIMEOUT seconds], [LABELS …] and [PROPERTIES name value …] are
# properties of each. CTest tells tests apart by their names alone, so a name that two programs of the build share is NAME.name in both.
#
# Only the given sources get -fsanitize=thread, and only when they are compiled: the program is linked without it, since
# the runtime of plumb takes the place of the compiler's. They see the includes, definitions and options of the target.
function(plumb_instrument target)
  set(objects plumb_instrumented_${target})
  get_target_property(compiled ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS compiled)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    foreach(given IN LISTS ARGN)
      cmake_path(ABSOLUTE_PATH given NORMALIZE OUTPUT_VARIABLE path)
      if(path STREQUAL source)
        message(FATAL_ERROR "plumb_instrument(${target} ${given}): ${given} is a source of ${target} already, so it would be compiled "
                            "twice, once without the hooks. Leave it out there: add_executable(${target}) with the other sources, or none.")
      endif()
    endforeach()
  endforeach()
  add_library(${objects} OBJECT ${ARGN})
  # g++ is kept from writing out what src/runtime sees as calls (copies.cpp, strings.cpp). And it must not load what only one branch
  # asks for along with what the other one does: that would be a race which the source has not.
  set(header ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/instrumented.h)
  file(STRINGS ${header} builtins REGEX "^#define __builtin_[a-z]+[ (]")
  list(TRANSFORM builtins REPLACE "^#define __builtin_([a-z]+).*$" "-fno-builtin-\\1")
  list(REMOVE_ITEM builtins -fno-builtin-strlen)
  set(gnu $<OR:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<COMPILE_LANG_AND_ID:C,GNU>>)
  target_compile_options(${objects} PRIVATE -fsanitize=thread -g "$<${gnu}:-Wno-tsan;-fno-hoist-adjacent-loads;${builtins}>"
                         "$<${gnu}:SHELL:-include \"${header}\">")
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_compile_options(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>)
  target_compile_options(${objects} PRIVATE -U_FORTIFY_SOURCE)  # that calls other names
  target_compile_features(${objects} PRIVATE cxx_std_20)
  # In front of everything else: of functions that exist in several objects the linker takes the first.
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  # The whole of it: libraries call pthread functions and malloc that the program itself may not mention.
  target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,plumb::explore>)
  # Also where another library brings it along.
  set_target_properties(${target} PROPERTIES LINK_LIBRARY_OVERRIDE_plumb::explore WHOLE_ARCHIVE
                        LINK_LIBRARY_OVERRIDE_plumb_explore WHOLE_ARCHIVE)
  target_link_options(${target} PRIVATE -Wl,-T,${CMAKE_CURRENT_FUNCTION_LIST_DIR}/instrumented.ld -Wl,--build-id)
endfunction()

# Has CTest know the tests of the program, with these options, as soon as it is built; `test_…` are arguments of the caller.
function(plumb_discover_tests name)
  # The lists of names of all programs of the build: known when the last folder has been configured.
  set(all ${CMAKE_BINARY_DIR}/plumb_test_names.cmake)
  if(NOT TARGET plumb::test_names)
    add_library(plumb::test_names INTERFACE IMPORTED GLOBAL)
    set(files "$<TARGET_PROPERTY:plumb::test_names,PLUMB_FILES>")
    file(GENERATE OUTPUT ${all} CONTENT "set(plumb_test_names [==[${files}]==])\n")
  endif()
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${name}_plumb_tests.cmake)
  set(names ${CMAKE_CURRENT_BINARY_DIR}/${name}_plumb_names.txt)
  set_property(TARGET plumb::test_names APPEND PROPERTY PLUMB_FILES ${names})
  set(labels ${name} ${test_LABELS})
  add_custom_command(TARGET ${name} POST_BUILD BYPRODUCTS ${tests} ${names} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DPROGRAM=$<TARGET_FILE:${name}>" "-DTARGET=${name}" "-DTESTS=${tests}" "-DNAMES=${names}"
            "-DBASE=${CMAKE_BINARY_DIR}" "-DPREFIX=${test_TEST_PREFIX}" "-DOPTIONS=${ARGN}" "-DTIMEOUT=${test_TIMEOUT}" "-DLABELS=${labels}"
            "-DPROPERTIES=${test_PROPERTIES}" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/discover.cmake)
  set(included ${CMAKE_CURRENT_BINARY_DIR}/${name}_plumb_include.cmake)
  file(WRITE ${included} "if(EXISTS [==[${tests}]==])
  include([==[${all}]==])
  set(plumb_shared_names)
  set(plumb_known_names)
  foreach(file IN LISTS plumb_test_names)
    set(names)
    if(EXISTS \"\${file}\")
      file(STRINGS \"\${file}\" names)
    endif()
    foreach(name IN LISTS names)
      list(FIND plumb_known_names \"\${name}\" known)
      list(APPEND plumb_known_names \"\${name}\")
      if(NOT known EQUAL -1)
        list(APPEND plumb_shared_names \"\${name}\")
      endif()
    endforeach()
  endforeach()
  include([==[${tests}]==])
else()
  add_test([==[${name}_NOT_BUILT]==] [==[${name}_NOT_BUILT]==])
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${included})
endfunction()

function(plumb_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TEST_PREFIX;TIMEOUT" "OPTIONS;LABELS;PROPERTIES")
  add_executable(${name})
  plumb_instrument(${name} ${test_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE plumb::test_main)
  plumb_discover_tests(${name} ${test_OPTIONS})
endfunction()

function(plumb_add_stress_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "TEST_PREFIX;TIMEOUT" "OPTIONS;LABELS;PROPERTIES")
  add_executable(${name} ${test_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE plumb::test_main $<LINK_LIBRARY:WHOLE_ARCHIVE,plumb::explore>)
  set_target_properties(${name} PROPERTIES LINK_LIBRARY_OVERRIDE_plumb::explore WHOLE_ARCHIVE
                        LINK_LIBRARY_OVERRIDE_plumb_explore WHOLE_ARCHIVE)
  plumb_discover_tests(${name} --mode stress ${test_OPTIONS})
endfunction()
