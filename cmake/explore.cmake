# plumb::explore, the engine that runs code through its interleavings, and plumb_instrument(), which makes a program that
# it can run.
#
#   plumb_instrument(TARGET SOURCES…)   adds the sources to the executable, compiled with the compiler's hooks
#
# Only the given sources get -fsanitize=thread, and only when they are compiled: the program is linked without it, since
# the runtime of plumb takes the place of the compiler's.
get_filename_component(PLUMB_INSTRUMENTED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/instrumented.ld ABSOLUTE CACHE)
mark_as_advanced(PLUMB_INSTRUMENTED_SCRIPT)

function(plumb_instrument target)
  set(objects plumb_instrumented_${target})
  add_library(${objects} OBJECT ${ARGN})
  target_compile_options(${objects} PRIVATE -fsanitize=thread -g $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:plumb::explore,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_features(${objects} PRIVATE cxx_std_20)
  # In front of everything else: of functions that exist in several objects the linker takes the first.
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  # The whole of it: libraries call pthread functions and malloc that the program itself may not mention.
  target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,plumb::explore>)
  target_link_options(${target} PRIVATE -Wl,-T,${PLUMB_INSTRUMENTED_SCRIPT} -Wl,--build-id)
endfunction()
