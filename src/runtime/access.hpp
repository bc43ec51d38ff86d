// What every hook for plain accesses does: tell the engine, where anything can be wrong with the access.
#pragma once

#include "runtime/arena.hpp"
#include "runtime/control.hpp"

namespace plumb::runtime {

// Under exploration. Where nobody else is about, and it is no memory of the arena, nothing can be wrong with the access.
inline void tell(const void* address, std::size_t size, bool write, const void* pc) {
  if (write && !g_stacks[t_fiber].holds(address)) ++g_writes[t_fiber];
  if (g_watching || Arena::owns(address)) g_control->access(address, size, write, pc);
}

}  // namespace plumb::runtime
