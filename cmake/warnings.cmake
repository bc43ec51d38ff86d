# Warnings for our own targets, and sanitizers or counters of lines when they are asked for.
if(PLUMB_FUZZ)
  set(PLUMB_SANITIZE address,undefined)
endif()

function(plumb_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 sees overlapping copies in std::string concatenation that are not there (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(PLUMB_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PLUMB_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PLUMB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${PLUMB_SANITIZE})
  endif()
  if(PLUMB_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers, g++ takes parts of std::regex and std::function for uninitialised.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(PLUMB_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PUBLIC --coverage)
  endif()
endfunction()
