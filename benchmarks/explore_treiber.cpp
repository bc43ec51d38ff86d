// Executions a second on a Treiber stack, two threads with two or four operations each, sequentially consistent.
// Nodes are not freed while the threads run, so that the stack is correct and the whole search is run.
#include <plumb/explore.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>

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

// Each of two threads pushes and pops `kRounds` times.
template <std::size_t kRounds>
void program(plumb::Program& p) {
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

void measure(const char* name, void (*body)(plumb::Program&), const plumb::ExploreOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const plumb::Exploration result = plumb::explore(body, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto runs = static_cast<double>(result.executions + result.pruned);
  std::printf("%-28s %s%10.0f executions/s, %.3f s\n", name, result.text().c_str(), runs / seconds, seconds);
}

}  // namespace

int main() {
  using plumb::SearchOrder;
  const plumb::ExploreOptions depth_first{.order = SearchOrder::kDepthFirst};
  measure("2x2 reduced", program<1>, {});
  measure("2x2 depth first", program<1>, depth_first);
  measure("2x4 reduced", program<2>, {});
  measure("2x4 depth first", program<2>, depth_first);
  measure("2x4 depth first, no races", program<2>, {.order = SearchOrder::kDepthFirst, .races = false});
  measure("2x2 random", program<1>, {.order = SearchOrder::kRandom, .executions = 500'000});
  measure("2x2 pct", program<1>, {.order = SearchOrder::kPct, .executions = 500'000});
  measure("2x2 random, real threads", program<1>,
          {.order = SearchOrder::kRandom, .executions = 2'000, .real_threads = true});
}
