// One more test beside those of spread.cpp: its scenarios use orders that are weaker than seq_cst.
#include <atomic>

#include <plumb/test.hpp>

struct Counter {
  std::atomic<int> total = 0;
  int add() { return total.fetch_add(1, std::memory_order_acq_rel); }
  int read() { return total.load(std::memory_order_acquire); }
};

PLUMB_TEST(Counter, test) {
  test.operation("add", &Counter::add);
  test.operation("read", &Counter::read);
}
