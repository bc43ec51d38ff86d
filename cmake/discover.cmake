# Asks a program of tests for their names and writes them for CTest, each with the place where it is defined, which editors show: in
# newer versions of CTest that is DEF_SOURCE_LINE, and in all the backtrace, by which CMake itself says where add_test() stands. Run after the
# program has been built: see plumb_discover_tests(), whose script knows which names several programs share when CTest reads this.
#
#   cmake -DPROGRAM=… -DTARGET=its name -DTESTS=file -DNAMES=file -DBASE=folder in which it was compiled -DPREFIX=… -DOPTIONS=… -DTIMEOUT=… -DLABELS=…
#         -DPROPERTIES=… -P discover.cmake
execute_process(COMMAND ${PROGRAM} --list --json OUTPUT_VARIABLE tests ERROR_VARIABLE error RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  file(REMOVE ${TESTS} ${NAMES})
  message(FATAL_ERROR "${PROGRAM} --list: ${error}")
endif()

# Between brackets nothing has a meaning of its own.
function(bracketed out)
  set(text "")
  foreach(item IN LISTS ARGN)
    string(APPEND text " [==[${item}]==]")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

bracketed(options ${OPTIONS})
bracketed(properties ${PROPERTIES})
if(NOT TIMEOUT STREQUAL "")
  string(APPEND properties " TIMEOUT [==[${TIMEOUT}]==]")
endif()
set(script "")
set(names "")
# Line by line, and not as a list: in a name a bracket or a semicolon may stand for itself.
while(tests MATCHES "^([^\n]*)\n(.*)$")
  set(test "${CMAKE_MATCH_1}")
  set(tests "${CMAKE_MATCH_2}")
  string(JSON name GET "${test}" test)
  string(JSON file GET "${test}" file)
  string(JSON line GET "${test}" line)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${BASE}" NORMALIZE)
  string(HEX "${PREFIX}${name}" code)  # which a list holds, whatever the name is
  string(APPEND names "${code}\n")
  string(APPEND script "set(name [==[${PREFIX}${name}]==])\n"
         "list(FIND plumb_shared_names ${code} shared)\n"
         "if(NOT shared EQUAL -1)\n  set(name [==[${TARGET}.${PREFIX}${name}]==])\nendif()\n"
         "add_test(\"\${name}\" [==[${PROGRAM}]==] --filter [==[${name}]==]${options})\n"
         "set_tests_properties(\"\${name}\" PROPERTIES LABELS [==[${LABELS}]==] DEF_SOURCE_LINE "
         "[==[${file}:${line}]==] _BACKTRACE_TRIPLES [==[${file};${line};PLUMB_TEST]==]${properties})\n")
endwhile()
file(WRITE ${TESTS} "${script}")
file(WRITE ${NAMES} "${names}")
