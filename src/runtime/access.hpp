// What every hook for plain accesses does: tell the engine, where anything can be wrong with the access.
#pragma once

#include "runtime/arena.hpp"
#include "runtime/control.hpp"

namespace plumb::runtime {

// On the stack of a thread, but not of this one.
inline bool on_other_stack(int self, const void* address) {
  return g_all_stacks.holds(address) && !g_stacks[self].holds(address);
}

// Under exploration. Where there is no other thread, and it is neither memory of the arena nor on the stack of a thread that has ended,
// nothing can be wrong with the access.
inline void report_access(const void* address, std::size_t size, bool write, const void* pc) {
  const int self = t_fiber;
  if (write && !g_stacks[self].holds(address)) ++g_writes[self];
  if (!g_track_accesses && !Arena::owns(address) && !on_other_stack(self, address)) return;
  if (write) {
    g_control->write(address, size, pc);
  } else {
    g_control->read(address, size, pc);
  }
}

}  // namespace plumb::runtime
