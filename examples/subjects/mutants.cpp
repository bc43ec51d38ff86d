// The structures of mutations.hpp, each with one line changed: what any strategy finds of them the default is to find, too
// (benchmarks/portfolio.py).
#include "mutations.hpp"

using QueueDroppedRetry = Queue<Mutation::kDroppedRetry>;
using QueueEarlyExit = Queue<Mutation::kEarlyExit>;
using QueueSwappedLines = Queue<Mutation::kSwappedLines>;
using QueueLostExchange = Queue<Mutation::kLostExchange>;
using QueueDroppedReread = Queue<Mutation::kDroppedReread>;
using StackDroppedRetry = Stack<Mutation::kDroppedRetry>;
using StackEarlyExit = Stack<Mutation::kEarlyExit>;
using StackSwappedLines = Stack<Mutation::kSwappedLines>;
using StackLostExchange = Stack<Mutation::kLostExchange>;
using StackDroppedReread = Stack<Mutation::kDroppedReread>;
PLUMB_TEST(QueueDroppedRetry, test) { define(test); }
PLUMB_TEST(QueueEarlyExit, test) { define(test); }
PLUMB_TEST(QueueSwappedLines, test) { define(test); }
PLUMB_TEST(QueueLostExchange, test) { define(test); }
PLUMB_TEST(QueueDroppedReread, test) { define(test); }
PLUMB_TEST(StackDroppedRetry, test) { define(test); }
PLUMB_TEST(StackEarlyExit, test) { define(test); }
PLUMB_TEST(StackSwappedLines, test) { define(test); }
PLUMB_TEST(StackLostExchange, test) { define(test); }
PLUMB_TEST(StackDroppedReread, test) { define(test); }
