// The queues of the Round-Up paper, each with a program of its tables.
#include "classic.hpp"
#include "k_fifo.hpp"
#include "programs.hpp"
#include "window_list.hpp"

using namespace quasi;

using QuasiQueue = BoundedKFifo<2>;
using QuasiQueueFilled = QuasiQueue;
PLUMB_TEST(QuasiQueueFilled, test) { program(test, kQueue, k2x2Then4, 2); }
using QuasiQueueDrained = QuasiQueue;
PLUMB_TEST(QuasiQueueDrained, test) { program(test, kQueue, k4Then2x2, 2); }
using QuasiQueueMixed = QuasiQueue;
PLUMB_TEST(QuasiQueueMixed, test) { program(test, kQueue, k2x3Then3, 2); }
using QuasiQueueWide = BoundedKFifo<3>;
PLUMB_TEST(QuasiQueueWide, test) { program(test, kQueue, k2x3Then3, 3); }
using QuasiQueueIsNotExact = QuasiQueue;
PLUMB_TEST(QuasiQueueIsNotExact, test) { program(test, kQueue, k2x2Then4, 0); }
using QuasiQueueB1 = BoundedKFifo<2, Fault::kTooFar>;
PLUMB_TEST(QuasiQueueB1, test) { program(test, kQueue, k2x2Then4, 2); }
using QuasiQueueB2 = BoundedKFifo<2, Fault::kTwice>;
PLUMB_TEST(QuasiQueueB2, test) { program(test, kQueue, k4Then2x2, 2); }
using QuasiQueueB3 = BoundedKFifo<2, Fault::kNull>;
PLUMB_TEST(QuasiQueueB3, test) { program(test, kQueue, k4Then2x2, 2); }

using RandomDequeued = WindowList<Order::kOldestFirst, 2>;
using RandomDequeuedDrained = RandomDequeued;
PLUMB_TEST(RandomDequeuedDrained, test) { program(test, kQueue, k4Then2x2, 2); }
using RandomDequeuedPutTake = RandomDequeued;
PLUMB_TEST(RandomDequeuedPutTake, test) { program(test, kQueue, kPutTake, 2); }
using RandomDequeuedNoWindow = WindowList<Order::kOldestFirst, 2, Fault::kNone, false>;
PLUMB_TEST(RandomDequeuedNoWindow, test) { program(test, kQueue, kTakeTake, 2); }
// Each removal by itself is near enough: the model of a k-FIFO queue asks for no more.
using NoWindowAsModel = RandomDequeuedNoWindow;
PLUMB_TEST(NoWindowAsModel, test) {
  program(test, kQueue, kTakeTake, 0);
  test.model("k-queue:2");
}

using BoundedPutTake = BoundedKFifo<2>;
PLUMB_TEST(BoundedPutTake, test) { program(test, kQueue, kPutTake, 2); }
using BoundedPutPut = BoundedKFifo<2>;
PLUMB_TEST(BoundedPutPut, test) { program(test, kQueue, kPutPut, 2); }
using BoundedTakeTake = BoundedKFifo<2>;
PLUMB_TEST(BoundedTakeTake, test) { program(test, kQueue, kTakeTake, 2); }
using UnboundedPutTake = UnboundedKFifo<2>;
PLUMB_TEST(UnboundedPutTake, test) { program(test, kQueue, kPutTake, 2); }
using UnboundedPutPut = UnboundedKFifo<2>;
PLUMB_TEST(UnboundedPutPut, test) { program(test, kQueue, kPutPut, 2); }
using UnboundedTakeTake = UnboundedKFifo<2>;
PLUMB_TEST(UnboundedTakeTake, test) { program(test, kQueue, kTakeTake, 2); }

PLUMB_TEST(MichaelScottQueue, test) { program(test, kQueue, k2x3Then3, 0); }
using SinglePutTake = SingleThreadedQueue;
PLUMB_TEST(SinglePutTake, test) { program(test, kQueue, kPutTake, 2); }
using SinglePutPut = SingleThreadedQueue;
PLUMB_TEST(SinglePutPut, test) { program(test, kQueue, kPutPut, 2); }
using SingleTakeTake = SingleThreadedQueue;
PLUMB_TEST(SingleTakeTake, test) { program(test, kQueue, kTakeTake, 2); }
