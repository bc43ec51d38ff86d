// Executions a second on a Treiber stack, two threads with two operations each (push, pop), sequentially consistent.
// Nodes are not freed while the threads run, so that the stack is correct and the whole search is run.
#include <plumb/explore.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string_view>

namespace {

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

void program(plumb::Program& p) {
  Stack stack;
  std::array<Node, 2> nodes;
  std::array<Node*, 2> popped{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      stack.push(&nodes[i]);
      popped[i] = stack.pop();
    });
  }
  p.check([&] { return popped[0] != popped[1]; });
}

void measure(const char* name, const plumb::ExploreOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const plumb::Exploration result = plumb::explore(program, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto runs = static_cast<double>(result.executions + result.pruned);
  std::printf("%-28s %s%10.0f executions/s, %.3f s\n", name, result.text().c_str(), runs / seconds, seconds);
}

}  // namespace

int main() {
  using plumb::SearchOrder;
  measure("reduced", {});
  measure("depth first", {.order = SearchOrder::kDepthFirst});
  measure("depth first, no races", {.order = SearchOrder::kDepthFirst, .races = false});
  for (const int bound : {1, 2, 3}) {
    measure(("depth first, bound " + std::to_string(bound)).c_str(),
            {.order = SearchOrder::kDepthFirst, .preemptions = bound});
  }
  measure("random", {.order = SearchOrder::kRandom, .executions = 1000000});
  measure("pct", {.order = SearchOrder::kPct, .executions = 1000000});
  measure("real threads, random", {.order = SearchOrder::kRandom, .executions = 2'000, .real_threads = true});
}
