#include <plumb/plumb.hpp>

#include "repaired_queue.hpp"

PLUMB_TEST(RepairedQueue, test) {
  test.operation("push", &RepairedQueue::push, plumb::values(1, 2));
  test.operation("pop", &RepairedQueue::pop);
}
