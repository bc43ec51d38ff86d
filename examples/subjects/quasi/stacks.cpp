// The stacks and priority queues of the Round-Up paper, each with a program of its tables.
#include "classic.hpp"
#include "k_stack.hpp"
#include "programs.hpp"
#include "window_list.hpp"

using namespace quasi;

using QuasiStack = WindowList<Order::kNewestFirst, 2>;
using QuasiStackFilled = QuasiStack;
PLUMB_TEST(QuasiStackFilled, test) { program(test, kStack, k2x2Then4, 2); }
using QuasiStackDrained = QuasiStack;
PLUMB_TEST(QuasiStackDrained, test) { program(test, kStack, k4Then2x2, 2); }
using QuasiStackTooFar = WindowList<Order::kNewestFirst, 2, Fault::kTooFar>;
PLUMB_TEST(QuasiStackTooFar, test) { program(test, kStack, k2x2Then4, 2); }
using QuasiStackTwice = WindowList<Order::kNewestFirst, 2, Fault::kTwice>;
PLUMB_TEST(QuasiStackTwice, test) { program(test, kStack, k4Then2x2, 2); }
using QuasiStackNull = WindowList<Order::kNewestFirst, 2, Fault::kNull>;
PLUMB_TEST(QuasiStackNull, test) { program(test, kStack, k4Then2x2, 2); }

using QuasiPriorityQueue = WindowList<Order::kSmallestFirst, 2>;
using QuasiPriorityQueueFilled = QuasiPriorityQueue;
PLUMB_TEST(QuasiPriorityQueueFilled, test) { program(test, kPriorityQueue, k2x2Then4, 2); }
using QuasiPriorityQueueDrained = QuasiPriorityQueue;
PLUMB_TEST(QuasiPriorityQueueDrained, test) { program(test, kPriorityQueue, k4Then2x2, 2); }
using PriorityQueueTooFar = WindowList<Order::kSmallestFirst, 2, Fault::kTooFar>;
PLUMB_TEST(PriorityQueueTooFar, test) { program(test, kPriorityQueue, k2x2Then4, 2); }
using PriorityQueueTwice = WindowList<Order::kSmallestFirst, 2, Fault::kTwice>;
PLUMB_TEST(PriorityQueueTwice, test) { program(test, kPriorityQueue, k4Then2x2, 2); }
using PriorityQueueNull = WindowList<Order::kSmallestFirst, 2, Fault::kNull>;
PLUMB_TEST(PriorityQueueNull, test) { program(test, kPriorityQueue, k4Then2x2, 2); }

PLUMB_TEST(TreiberStack, test) { program(test, kStack, k2x3Then3, 0); }
using KStackRight = KStack<2>;
PLUMB_TEST(KStackRight, test) { program(test, kStack, kPutTakeAtEmptySegment, 2); }
using KStackPushedTwice = KStack<2, Fault::kTwice>;
PLUMB_TEST(KStackPushedTwice, test) { program(test, kStack, kPutTakeAtEmptySegment, 2); }
using KStackPutPut = KStack<2, Fault::kTwice>;
PLUMB_TEST(KStackPutPut, test) { program(test, kStack, kPutPut, 2); }
using KStackTakeTake = KStack<2, Fault::kTwice>;
PLUMB_TEST(KStackTakeTake, test) { program(test, kStack, kTakeTake, 2); }
