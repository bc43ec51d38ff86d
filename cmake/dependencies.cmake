# What the library needs, found in the same way here and by plumbConfig.cmake at a user's place. No public header
# includes any of them: they are linked, not seen.
find_package(absl CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(simdjson CONFIG REQUIRED)
find_package(zstd CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
# Its header alone, compiled in (src/base/hash.cpp): whoever links plumb needs nothing of it.
find_path(PLUMB_XXHASH_INCLUDE xxhash.h REQUIRED DOC "Where xxhash.h is (on Debian: libxxhash-dev)")
set(PLUMB_DEPENDENCIES absl::flat_hash_map absl::flat_hash_set absl::hash fmt::fmt simdjson::simdjson
    zstd::libzstd_shared ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
