// The rows of tables II, III and V of the Round-Up paper for the structures of examples/subjects/quasi, one
// line each with tabs: table, structure, program, K, wrong histories, histories, executions, nodes,
// milliseconds of judging, of all, complete.
#include <cstdio>

#include "classic.hpp"
#include "every_history.hpp"
#include "k_fifo.hpp"
#include "k_stack.hpp"
#include "programs.hpp"
#include "window_list.hpp"

namespace {

using namespace quasi;

constexpr double kSeconds = 60;  // a row

template <class S>
void row(const char* table, const char* name, const Kind& kind, const Calls& calls, unsigned k) {
  plumb::Test<S> test(name, 1);
  program(test, kind, calls, k);
  const plumb_bench::Counts counts = plumb_bench::every_history(case_of(test), kSeconds);
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("%s\t%s\t%s\t%u\t%llu\t%llu\t%llu\t%llu\t%.3f\t%.3f\t%d\n", table, name, calls.name, k,
              number(counts.wrong), number(counts.histories), number(counts.executions), number(counts.nodes),
              counts.check_ms, counts.elapsed_ms, counts.complete ? 1 : 0);
  std::fflush(stdout);
}

// Asked for linearizability (table II), and with the distance it promises (table III).
template <class S>
void both(const char* name, const Kind& kind, const Calls& calls, unsigned k) {
  row<S>("II", name, kind, calls, 0);
  row<S>("III", name, kind, calls, k);
}

template <class S>
void scal(const char* name, const Kind& kind, unsigned k, const Calls& put_take = kPutTake) {
  for (const Calls& calls : {put_take, kPutPut, kTakeTake}) row<S>("V", name, kind, calls, k);
}

void tables_two_and_three() {
  const char* const queue = "quasi queue";
  for (const Calls& calls : {k2x2Then4, k3x3Then4, k2x3Then3, k3x3Then2, k3x4Then1, k4x4})
    both<BoundedKFifo<2>>(queue, kQueue, calls, 2);
  for (const Calls& calls : {k2x3Then3, k3x3Then2, k3x4Then1, k4x4})
    row<BoundedKFifo<3>>("III", queue, kQueue, calls, 3);
  both<BoundedKFifo<2, Fault::kTooFar>>("quasi queue b1", kQueue, k2x2Then4, 2);
  both<BoundedKFifo<2, Fault::kTwice>>("quasi queue b2", kQueue, k4Then2x2, 2);
  both<BoundedKFifo<2, Fault::kNull>>("quasi queue b3", kQueue, k4Then2x2, 2);
  both<WindowList<Order::kNewestFirst, 2, Fault::kNull>>("quasi stack b1", kStack, k4Then2x2, 2);
  both<WindowList<Order::kNewestFirst, 2, Fault::kTooFar>>("quasi stack b2", kStack, k2x2Then4, 2);
  both<WindowList<Order::kNewestFirst, 2>>("quasi stack", kStack, k2x2Then4, 2);
  both<WindowList<Order::kSmallestFirst, 2>>("quasi priority queue", kPriorityQueue, k2x2Then4, 2);
  both<WindowList<Order::kSmallestFirst, 2, Fault::kTooFar>>("quasi priority queue b2", kPriorityQueue,
                                                             k2x2Then4, 2);
}

void table_five() {
  scal<SingleThreadedQueue>("single-threaded queue", kQueue, 2);
  scal<TreiberStack>("Treiber stack", kStack, 2);
  scal<MichaelScottQueue>("Michael-Scott queue", kQueue, 2);
  scal<WindowList<Order::kOldestFirst, 2>>("random-dequeued queue", kQueue, 2);
  scal<WindowList<Order::kOldestFirst, 2, Fault::kNone, false>>("the same, no virtual window", kQueue, 2);
  scal<BoundedKFifo<2>>("bounded k-FIFO", kQueue, 2);
  scal<UnboundedKFifo<2>>("unbounded k-FIFO", kQueue, 2);
  scal<KStack<2, Fault::kTwice>>("k-stack with the fault", kStack, 2, kPutTakeAtEmptySegment);
  scal<KStack<2>>("k-stack", kStack, 2, kPutTakeAtEmptySegment);
}

}  // namespace

int main() {
  tables_two_and_three();
  table_five();
}
