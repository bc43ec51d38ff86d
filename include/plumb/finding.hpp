// What can be wrong with an execution: the one list of kinds that the engine, the tests and all reports share.
#pragma once

#include <cstdint>

namespace plumb {

enum class FindingKind : std::uint8_t {
#define PLUMB_FINDING(name, text, test_kind) name,
#include "plumb/detail/findings.def"
#undef PLUMB_FINDING
};
const char* to_string(FindingKind kind);  // "deadlock", "race" …

}  // namespace plumb
