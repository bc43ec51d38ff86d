# Asks a program of tests for their names and writes them for CTest. Run after the program has been built: see plumb_discover_tests().
#
#   cmake -DPROGRAM=… -DTESTS=file -DPREFIX=… -DOPTIONS=… -DTIMEOUT=… -DLABELS=… -DPROPERTIES=… -P discover.cmake
execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE names ERROR_VARIABLE error RESULT_VARIABLE status TIMEOUT 60)
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
string(REPLACE ";" "\\;" names "${names}")
string(REGEX REPLACE "\n" ";" names "${names}")
set(script "")
foreach(name IN LISTS names)
  if(NOT name STREQUAL "")
    string(APPEND script "add_test([==[${PREFIX}${name}]==] [==[${PROGRAM}]==] --filter [==[${name}]==]${options})\n"
           "set_tests_properties([==[${PREFIX}${name}]==] PROPERTIES LABELS [==[${LABELS}]==]${properties})\n")
  endif()
endforeach()
file(WRITE ${TESTS} "${script}")
