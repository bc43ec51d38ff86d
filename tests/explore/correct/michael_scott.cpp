// The queue of Michael and Scott (PODC 1996) with nodes that are not used again, and with hazard pointers (Michael, 2004)
// that allow to free them.
#include <array>
#include <atomic>

#include "explore/programs.hpp"

namespace {

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

// `Guard` says when a node may be looked at.
template <class Guard>
class Queue {
 public:
  Queue() = default;
  ~Queue() {
    for (Node* node = head_; node != nullptr;) {
      Node* next = node->next;
      delete node;
      node = next;
    }
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void enqueue(Node* node, Guard& guard) {
    for (;;) {
      Node* tail = guard.protect(tail_);
      Node* next = tail->next.load();
      if (next != nullptr) {
        tail_.compare_exchange_strong(tail, next);
      } else if (tail->next.compare_exchange_strong(next, node)) {
        tail_.compare_exchange_strong(tail, node);
        break;
      }
    }
    guard.clear();
  }
  int dequeue(Guard& guard) {  // 0: empty
    for (;;) {
      Node* head = guard.protect(head_);
      Node* tail = tail_.load();
      Node* next = guard.protect_next(head->next);
      if (head != head_.load()) continue;
      if (next == nullptr) {
        guard.clear();
        return 0;
      }
      if (head == tail) {
        tail_.compare_exchange_strong(tail, next);
        continue;
      }
      const int value = next->value;
      if (!head_.compare_exchange_strong(head, next)) continue;
      guard.clear();
      guard.retire(head);
      return value;
    }
  }

 private:
  std::atomic<Node*> head_{new Node};
  std::atomic<Node*> tail_{head_.load()};
};

struct NeverFreed {
  Node* retired = nullptr;
  static Node* protect(std::atomic<Node*>& from) { return from.load(); }
  static Node* protect_next(std::atomic<Node*>& from) { return from.load(); }
  static void clear() {}
  void retire(Node* node) { retired = node; }  // one per thread, kept until the end
  ~NeverFreed() { delete retired; }
};

struct Hazards {
  std::array<std::atomic<Node*>, 4> slots{};
};
struct HazardGuard {
  Hazards* hazards = nullptr;
  std::size_t thread = 0;
  Node* kept = nullptr;

  Node* hold(std::size_t slot, std::atomic<Node*>& from) const {
    for (;;) {
      Node* node = from.load();
      hazards->slots[2 * thread + slot] = node;
      if (node == from.load()) return node;
    }
  }
  Node* protect(std::atomic<Node*>& from) const { return hold(0, from); }
  Node* protect_next(std::atomic<Node*>& from) const { return hold(1, from); }
  void clear() const {
    for (std::size_t slot = 0; slot < 2; ++slot) hazards->slots[2 * thread + slot] = nullptr;
  }
  void retire(Node* node) {
    const std::size_t other = 1 - thread;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      if (hazards->slots[2 * other + slot] == node) {
        kept = node;
        return;
      }
    }
    delete node;
  }
};

void without_reuse(plumb::Program& p) {
  Queue<NeverFreed> queue;
  std::array<NeverFreed, 2> guards;
  std::array<int, 3> got{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      queue.enqueue(new Node{static_cast<int>(i) + 1}, guards[i]);
      got[i] = queue.dequeue(guards[i]);
      p.require(got[i] != 0, "the queue held at least this thread's value");
    });
  }
  p.check([&] { return got[0] + got[1] == 3; });
}
TEST(MichaelScott, WithoutReuse) {
  const auto result = plumb::explore(without_reuse, {.preemptions = 3});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

void with_hazard_pointers(plumb::Program& p) {
  Hazards hazards;
  Queue<HazardGuard> queue;
  std::array<HazardGuard, 2> guards{{{&hazards, 0, nullptr}, {&hazards, 1, nullptr}}};
  std::array<int, 2> got{};
  queue.enqueue(new Node{1}, guards[0]);
  queue.enqueue(new Node{2}, guards[0]);
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] { got[i] = queue.dequeue(guards[i]); });
  }
  p.check([&] { return got[0] + got[1] == 3; });
  for (const HazardGuard& guard : guards) delete guard.kept;
}
TEST(MichaelScott, WithHazardPointers) {
  const auto result = plumb::explore(with_hazard_pointers, {.preemptions = 2});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

}  // namespace
