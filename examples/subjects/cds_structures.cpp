// The other queues and stacks of libcds that are guarded by hazard pointers, with their default memory orders.
#include <optional>

#include <cds/container/basket_queue.h>
#include <cds/container/moir_queue.h>
#include <cds/container/optimistic_queue.h>
#include <cds/container/treiber_stack.h>

#include <plumb/plumb.hpp>

#include "cds_hazard.hpp"

template <class Container>
class Cds {
 public:
  bool push(int value) { return container_.push(value); }
  std::optional<int> pop() {
    int value = 0;
    return container_.pop(value) ? std::optional(value) : std::nullopt;
  }

 private:
  Container container_;
};

template <class S>
void push_and_pop(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("pop", &S::pop);
  test.allow_leaks();
}

using CdsTreiberStack = Cds<cds::container::TreiberStack<cds::gc::HP, int>>;
PLUMB_TEST(CdsTreiberStack, test) { push_and_pop(test); }

using CdsMoirQueue = Cds<cds::container::MoirQueue<cds::gc::HP, int>>;
PLUMB_TEST(CdsMoirQueue, test) { push_and_pop(test); }

using CdsOptimisticQueue = Cds<cds::container::OptimisticQueue<cds::gc::HP, int>>;
PLUMB_TEST(CdsOptimisticQueue, test) { push_and_pop(test); }

using CdsBasketQueue = Cds<cds::container::BasketQueue<cds::gc::HP, int>>;
PLUMB_TEST(CdsBasketQueue, test) { push_and_pop(test); }
