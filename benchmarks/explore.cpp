// The engine: executions per second, how searches grow, and memory. Prints a line of JSON for each measurement:
//
//   bench_explore treiber    two threads push and pop: each order of search
//   bench_explore queue      boost::lockfree::queue under a preemption bound, with and without reduction
//   bench_explore growth     a counter: more threads, more operations, more preemptions
//   bench_explore memory     ten million executions with allocations and exceptions
//
// The stacks' nodes are not freed while the threads run, so that they are correct and whole searches are run.
#include <array>
#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <plumb/explore.hpp>

#include "resident.hpp"

namespace {

using plumb::ExploreOptions;
using plumb::SearchOrder;

struct Node {
  int value = 0;
  Node* next = nullptr;
};

class Stack {
 public:
  void push(Node* node) {
    node->next = top_.load();
    while (!top_.compare_exchange_strong(node->next, node)) {
    }
  }
  Node* pop() {
    Node* node = top_.load();
    while (node != nullptr && !top_.compare_exchange_strong(node, node->next)) {
    }
    return node;
  }

 private:
  std::atomic<Node*> top_{nullptr};
};

// Each of two threads pushes and pops `kRounds` times.
template <std::size_t kRounds>
void treiber(plumb::Program& p) {
  Stack stack;
  std::array<Node, 2 * kRounds> nodes;
  std::array<Node*, 2 * kRounds> popped{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      for (std::size_t round = i * kRounds; round < (i + 1) * kRounds; ++round) {
        stack.push(&nodes[round]);
        popped[round] = stack.pop();
      }
    });
  }
  p.check([&] { return popped[0] != popped[1] || kRounds > 1; });
}

// Its nodes are written over plainly while others may still read them: a formal race, so races are off.
void queue(plumb::Program& p) {
  boost::lockfree::queue<int> queue(4);
  for (int i = 0; i < 2; ++i) {
    p.thread([&, i] {
      queue.push(i);
      int value = 0;
      queue.pop(value);
    });
  }
  p.check([&] { return queue.empty(); });
}

void counter(plumb::Program& p, int threads, int operations) {
  std::array<std::atomic<int>, 2> counts{};
  for (int i = 0; i < threads; ++i) {
    p.thread([&, i] {
      for (int k = 0; k < operations; ++k) counts[static_cast<std::size_t>(i + k) % 2].fetch_add(1);
    });
  }
  p.check([&] { return counts[0] + counts[1] == threads * operations; });
}

void allocates(plumb::Program& p) {
  std::atomic<int> sum{0};
  for (int i = 0; i < 2; ++i) {
    p.thread([&, i] {
      const std::vector<std::unique_ptr<int>> numbers = [] {
        std::vector<std::unique_ptr<int>> made;
        made.push_back(std::make_unique<int>(1));
        return made;
      }();
      const std::string text(40, 'x');
      sum.fetch_add(*numbers[0] + static_cast<int>(text.size()));
      if (i == 0) {
        try {
          throw i;
        } catch (int) {
          sum.fetch_sub(1);
        }
      }
    });
  }
  p.check([&] { return sum == 81; });
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// A short search is run again and again, until the clocks can tell: the figures are those of one.
template <class Body>
void measure(const std::string& name, Body body, const ExploreOptions& options) {
  constexpr double kLongEnough = 0.2;
  const auto begin = std::chrono::steady_clock::now();
  const double processor = processor_seconds();
  plumb::Exploration result;
  int times = 0;
  do {
    result = plumb::explore(body, options);
    ++times;
  } while (processor_seconds() - processor < kLongEnough);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(R"({"name": "%s", "executions": %llu, "pruned": %llu, "steps": %llu, "ended_by": "%s", )"
              R"("seconds": %.9f, "processor_seconds": %.9f, "resident_kb": %ld})"
              "\n",
              name.c_str(), static_cast<unsigned long long>(result.executions),
              static_cast<unsigned long long>(result.pruned), static_cast<unsigned long long>(result.steps),
              std::string(to_string(*result.ended_by)).c_str(), seconds / times,
              (processor_seconds() - processor) / times, resident_kilobytes());
  std::fflush(stdout);
}

void measure_treiber() {
  const ExploreOptions depth_first{.order = SearchOrder::kDepthFirst};
  measure("two rounds, reduced", treiber<2>, {});
  measure("two rounds, depth first", treiber<2>, depth_first);
  measure("two rounds, depth first, races not watched", treiber<2>,
          {.order = SearchOrder::kDepthFirst, .races = false});
  measure("one round, random", treiber<1>, {.order = SearchOrder::kRandom, .executions = 200'000});
  measure("one round, random, races not watched", treiber<1>,
          {.order = SearchOrder::kRandom, .executions = 200'000, .races = false});
  measure("one round, PCT", treiber<1>, {.order = SearchOrder::kPct, .executions = 200'000});
  measure("one round, random, real threads", treiber<1>,
          {.order = SearchOrder::kRandom, .executions = 2'000, .real_threads = true});
}

void measure_queue() {
  for (const unsigned bound : {2U, 3U, 4U}) {
    const std::string name = "bound " + std::to_string(bound);
    measure(name + ", reduced", queue, {.preemptions = bound, .races = false});
    measure(name + ", depth first", queue,
            {.order = SearchOrder::kDepthFirst, .preemptions = bound, .races = false});
  }
}

void measure_growth() {
  for (const auto& [threads, operations] :
       {std::pair{2, 2}, std::pair{2, 4}, std::pair{2, 6}, std::pair{2, 8}, std::pair{3, 2}, std::pair{3, 3},
        std::pair{4, 1}, std::pair{4, 2}, std::pair{5, 1}}) {
    const auto body = [t = threads, o = operations](plumb::Program& p) { counter(p, t, o); };
    const std::string name =
        std::to_string(threads) + " threads, " + std::to_string(operations) + " operations";
    measure(name + ", reduced", body, {.executions = 1'000'000});
    measure(name + ", depth first", body, {.order = SearchOrder::kDepthFirst, .executions = 1'000'000});
    for (const unsigned bound : {0U, 1U, 2U, 3U}) {
      measure(name + ", reduced, bound " + std::to_string(bound), body, {.preemptions = bound});
    }
  }
}

void measure_memory() {
  for (const std::uint64_t millions : {1, 1, 9}) {
    measure(std::to_string(millions) + " million", allocates,
            {.order = SearchOrder::kRandom, .executions = millions * 1'000'000});
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count == 2 ? arguments[1] : "";
  if (what == "treiber") {
    measure_treiber();
  } else if (what == "queue") {
    measure_queue();
  } else if (what == "growth") {
    measure_growth();
  } else if (what == "memory") {
    measure_memory();
  } else {
    std::fprintf(stderr, "usage: bench_explore treiber|queue|growth|memory\n");
    return 2;
  }
}
