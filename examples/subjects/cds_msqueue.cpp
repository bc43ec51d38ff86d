// The queue of Michael and Scott of libcds, with its default memory orders: khizmax/libcds#186. The compare-exchange by which do_dequeue()
// takes the head acquires, and does not release: whoever reads that head later need not know what the dequeuing thread knew, such as
// that a second element was linked.
#include <optional>

#include <cds/container/msqueue.h>

#include <plumb/plumb.hpp>

#include "cds_hazard.hpp"

template <class MemoryModel>
class MsQueue {
 public:
  bool enqueue(int value) { return queue_.enqueue(value); }
  std::optional<int> dequeue() {
    int value = 0;
    return queue_.dequeue(value) ? std::optional(value) : std::nullopt;
  }

 private:
  struct Traits : cds::container::msqueue::traits {
    using memory_model = MemoryModel;
  };
  cds::container::MSQueue<cds::gc::HP, int, Traits> queue_;
};

template <class S>
void enqueue_and_dequeue(plumb::Test<S>& test) {
  test.operation("enqueue", &S::enqueue, plumb::values(1, 2));
  test.operation("dequeue", &S::dequeue);
  test.allow_leaks();
}

// As libcds has it.
using CdsMsQueue = MsQueue<cds::opt::v::relaxed_ordering>;
PLUMB_TEST(CdsMsQueue, test) { enqueue_and_dequeue(test); }

// The scenario of the report.
PLUMB_TEST(CdsMsQueue, test, "CdsMsQueueIssue186") {
  enqueue_and_dequeue(test);
  test.scenario({{plumb::call("enqueue", 1), plumb::call("dequeue")},
                 {plumb::call("enqueue", 2), plumb::call("dequeue")}});
}

// What its documentation offers beside the default.
using CdsMsQueueSeqCst = MsQueue<cds::opt::v::sequential_consistent>;
PLUMB_TEST(CdsMsQueueSeqCst, test) { enqueue_and_dequeue(test); }

// The default with the one order that matters made stronger, as far as that is possible from outside: all orders that are `acquire` there.
struct ReleasingHead : cds::opt::v::relaxed_ordering {
  static constexpr atomics::memory_order memory_order_acquire = atomics::memory_order_seq_cst;
};
using CdsMsQueueRepaired = MsQueue<ReleasingHead>;
PLUMB_TEST(CdsMsQueueRepaired, test) { enqueue_and_dequeue(test); }
