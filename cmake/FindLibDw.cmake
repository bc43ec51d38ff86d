# libdw of elfutils, which reads debug information: the target LibDw::LibDw. Also installed, for users of plumb::explore.
find_path(LibDw_INCLUDE_DIR elfutils/libdw.h)
find_library(LibDw_LIBRARY dw)
find_library(LibElf_LIBRARY elf)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibDw REQUIRED_VARS LibDw_LIBRARY LibElf_LIBRARY LibDw_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "(on Debian: apt install libdw-dev)")
if(LibDw_FOUND AND NOT TARGET LibDw::LibDw)
  add_library(LibDw::LibDw UNKNOWN IMPORTED)
  set_target_properties(LibDw::LibDw PROPERTIES IMPORTED_LOCATION ${LibDw_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LibDw_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES ${LibElf_LIBRARY})
endif()
mark_as_advanced(LibDw_INCLUDE_DIR LibDw_LIBRARY LibElf_LIBRARY)
