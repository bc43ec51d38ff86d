// Tests of a class that is in a shared library: what is not watched is said at the end, once.
#include <plumb/plumb.hpp>

#include "library.hpp"

namespace {

struct Counter {
  library::Counter counter;
  std::atomic<int> read_{0};
  int add() { return counter.add(); }
  int read() { return read_.load(); }
};

PLUMB_TEST(Counter, test) {
  test.operation("add", &Counter::add);
  test.operation("read", &Counter::read);
}
PLUMB_TEST(Counter, test, "only read") { test.operation("read", &Counter::read); }

}  // namespace
