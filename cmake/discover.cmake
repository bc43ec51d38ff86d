# Asks a program of tests for their names and writes them for CTest, each with the place where it is defined, which editors show. Run after the
# program has been built: see plumb_discover_tests().
#
#   cmake -DPROGRAM=… -DTESTS=file -DBASE=folder in which it was compiled -DPREFIX=… -DOPTIONS=… -DTIMEOUT=… -DLABELS=… -DPROPERTIES=… -P discover.cmake
execute_process(COMMAND ${PROGRAM} --list --json OUTPUT_VARIABLE tests ERROR_VARIABLE error RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  file(REMOVE ${TESTS})
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
string(REPLACE ";" "\\;" tests "${tests}")
string(REGEX REPLACE "\n" ";" tests "${tests}")
set(script "")
foreach(test IN LISTS tests)
  if(NOT test STREQUAL "")
    string(JSON name GET "${test}" test)
    string(JSON file GET "${test}" file)
    string(JSON line GET "${test}" line)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${BASE}" NORMALIZE)
    string(APPEND script "add_test([==[${PREFIX}${name}]==] [==[${PROGRAM}]==] --filter [==[${name}]==]${options})\n"
           "set_tests_properties([==[${PREFIX}${name}]==] PROPERTIES LABELS [==[${LABELS}]==] DEF_SOURCE_LINE "
           "[==[${file}:${line}]==]${properties})\n")
  endif()
endforeach()
file(WRITE ${TESTS} "${script}")
