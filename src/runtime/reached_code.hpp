// Which hooks were called under exploration, by the address that they return to; and where in the program there are any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb::runtime {

// A byte for each address, modulo their number: who falls upon another that was reached counts as reached, too. All processes that are
// forked share them.
constexpr std::size_t kReachedBytes = std::size_t{1} << 21U;

extern "C" {
extern std::uint8_t* plumb_reached;
}

inline std::uint8_t& reached(const void* pc) {
  return plumb_reached[reinterpret_cast<std::uintptr_t>(pc) & (kReachedBytes - 1)];
}
inline void note_reached(const void* pc) { reached(pc) = 1; }
void forget_reached();  // all of them

// What calls of hooks for accesses in the code of the program, without libraries, return to.
std::vector<const void*> calls_of_hooks();

}  // namespace plumb::runtime
