// The other queues and stacks of libcds that are guarded by hazard pointers, with their default memory orders.
#include <cds/container/basket_queue.h>
#include <cds/container/moir_queue.h>
#include <cds/container/optimistic_queue.h>
#include <cds/container/treiber_stack.h>

#include "by_value.hpp"
#include "cds_hazard.hpp"

using CdsTreiberStack = ByValue<cds::container::TreiberStack<cds::gc::HP, int>>;
PLUMB_TEST(CdsTreiberStack, test) {
  push_and_pop(test);
  test.allow_leaks();
}

using CdsMoirQueue = ByValue<cds::container::MoirQueue<cds::gc::HP, int>>;
PLUMB_TEST(CdsMoirQueue, test) {
  push_and_pop(test);
  test.allow_leaks();
}

using CdsOptimisticQueue = ByValue<cds::container::OptimisticQueue<cds::gc::HP, int>>;
PLUMB_TEST(CdsOptimisticQueue, test) {
  push_and_pop(test);
  test.allow_leaks();
}

using CdsBasketQueue = ByValue<cds::container::BasketQueue<cds::gc::HP, int>>;
PLUMB_TEST(CdsBasketQueue, test) {
  push_and_pop(test);
  test.allow_leaks();
}
