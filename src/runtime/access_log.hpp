// Plain accesses, written down where the hook is called and looked at later: as long as there is a log, and room in it, the hook of an
// access does nothing else. It leaves nothing on the program's stack either (side_stack.hpp says why that matters).
#pragma once

#include <cstdint>

namespace plumb::runtime {

// The assembly in tsan_access.cpp knows where its members are.
struct LoggedAccess {
  const void* address;
  std::uint32_t size;
  std::uint32_t write;  // 0 or 1
};

extern "C" {
extern LoggedAccess* plumb_log_next;  // where the next one is written to
extern LoggedAccess* plumb_log_end;   // the same: there is no log, or it is full
}

}  // namespace plumb::runtime
