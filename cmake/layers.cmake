# The layers of src/, one row each, lower ones first: a folder includes itself and what it USES, and nothing else; HEADERS are the
# public headers (include/plumb/) that belong to it. scripts/check-layers reads these rows and holds the includes to them; the tests
# link each layer with what it uses and nothing else, so the linker holds the code to them too.
#
#   plumb_layer(NAME USES … HEADERS …)        a row
#   plumb_layer_objects(NAME)                 makes the object library plumb_layer_NAME from all of src/NAME
#   plumb_layer_closure(NAME VARIABLE)        NAME and all that it stands on

function(plumb_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "USES;HEADERS")
  set_property(GLOBAL PROPERTY PLUMB_USES_${name} "${layer_USES}")
endfunction()

plumb_layer(base    HEADERS detail/mix.hpp outcome.hpp result.hpp seconds.hpp version.hpp)
plumb_layer(options USES base)
plumb_layer(document USES base)
plumb_layer(work    USES base)
plumb_layer(history USES base HEADERS history.hpp value.hpp)
plumb_layer(json    USES base history)
plumb_layer(journal USES base history json)
plumb_layer(record  USES base history json HEADERS clock.hpp detail/log_slot.hpp record.h record.hpp)
plumb_layer(formats USES base history json record HEADERS files.hpp)
plumb_layer(spec    USES base history
                    HEADERS convert.hpp family.hpp generate.hpp model.hpp object_model.hpp detail/object_operation.hpp
                            detail/object_states.hpp detail/signature.hpp state.hpp)
plumb_layer(check   USES base history spec HEADERS check.hpp depth.hpp)
plumb_layer(watch   USES base history spec check HEADERS watch.hpp)
plumb_layer(proof   USES base history json spec check HEADERS certificate.hpp)
plumb_layer(explain USES base history spec check proof HEADERS explain.hpp)
plumb_layer(report  USES base document history json spec check explain HEADERS report.hpp detail/reports.def)
plumb_layer(cli     USES base options document work history json journal record formats spec check watch proof explain report)
plumb_layer(capi    USES base history json formats spec check report HEADERS plumb.h)
plumb_layer(python  USES base history record formats spec check watch proof explain report)
# The engine knows nothing of checking; `testing` joins the two.
plumb_layer(runtime USES base HEADERS finding.hpp detail/findings.def)
plumb_layer(explore USES base options document runtime HEADERS explore.hpp)
plumb_layer(testing USES base options document work history json journal record formats spec check explain report runtime explore
                    HEADERS audit.hpp plumb.hpp stress.hpp test.hpp detail/cut_offs.def detail/test_case.hpp detail/violation_kinds.def
                            test_values.hpp)

function(plumb_layer_objects name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/(main|mpi_main)\\.cpp$")
  add_library(plumb_layer_${name} OBJECT ${sources})
  target_include_directories(plumb_layer_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(plumb_layer_${name} PRIVATE cxx_std_20)
  plumb_warnings(plumb_layer_${name})
endfunction()

function(plumb_layer_closure name variable)
  set(closure)
  set(open ${name})
  while(open)
    list(POP_FRONT open next)
    if(NOT next IN_LIST closure)
      list(APPEND closure ${next})
      get_property(uses GLOBAL PROPERTY PLUMB_USES_${next})
      list(APPEND open ${uses})
    endif()
  endwhile()
  set(${variable} ${closure} PARENT_SCOPE)
endfunction()
