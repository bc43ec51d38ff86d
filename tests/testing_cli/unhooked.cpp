// Compiled without hooks, as a part of the program.
#include "unhooked.hpp"

namespace unhooked {

void store(long& to, long value) { to = value; }
Pair pair(long value) { return {value, value + 1}; }

}  // namespace unhooked
