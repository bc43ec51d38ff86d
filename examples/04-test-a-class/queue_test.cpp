#include <plumb/plumb.hpp>

#include "queue.hpp"

PLUMB_TEST(Queue, test) {
  test.operation("push", &Queue::push, plumb::values(1, 2));
  test.operation("pop", &Queue::pop);
}
