#pragma once

namespace unhooked {

struct Pair {
  long first = 0;
  long second = 0;
};

void store(long& to, long value);  // what the hooks do not see
Pair pair(long value);             // and, with g++, not where it is stored

}  // namespace unhooked
