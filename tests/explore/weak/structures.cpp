// Lock-free structures with the orders that they need, and the same with one that is too weak. The numbers of executions are those that
// GenMC 0.11 has for the same programs, where every consistent graph is one.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <array>
#include <atomic>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

plumb::ExploreOptions rc11() { return {.memory_model = plumb::MemoryModel::kRc11}; }

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

template <std::memory_order kPush = kRelease, std::memory_order kPop = kAcquire>
class TreiberStack {
 public:
  void push(Node& node, int value) {
    Node* old = top_.load(kRelaxed);
    node.value = value;
    do {
      node.next.store(old, kRelaxed);
    } while (!top_.compare_exchange_strong(old, &node, kPush, kRelaxed));
  }
  int pop() {
    Node* old = top_.load(kPop);
    do {
      if (old == nullptr) return 0;
    } while (!top_.compare_exchange_strong(old, old->next.load(kRelaxed), kPop, kPop));
    return old->value;
  }

 private:
  std::atomic<Node*> top_{nullptr};
};

template <std::memory_order kLoad = kAcquire, std::memory_order kLink = kRelease,
          std::memory_order kHead = kRelease>
class MichaelScottQueue {
 public:
  void push(Node& node, int value) {
    node.value = value;
    node.next.store(nullptr, kRelaxed);
    for (;;) {
      Node* tail = tail_.load(kLoad);
      Node* next = tail->next.load(kLoad);
      if (tail != tail_.load(kLoad)) continue;
      if (next != nullptr) {
        tail_.compare_exchange_strong(tail, next, kRelease, kRelaxed);
        continue;
      }
      if (tail->next.compare_exchange_strong(next, &node, kLink, kRelaxed)) {
        tail_.compare_exchange_strong(tail, &node, kRelease, kRelaxed);
        return;
      }
    }
  }
  int pop() {
    for (;;) {
      Node* head = head_.load(kLoad);
      Node* tail = tail_.load(kLoad);
      Node* next = head->next.load(kLoad);
      if (head != head_.load(kLoad)) continue;
      if (next == nullptr) return 0;
      if (head == tail) {
        tail_.compare_exchange_strong(tail, next, kRelease, kRelaxed);
        continue;
      }
      const int value = next->value;
      if (head_.compare_exchange_strong(head, next, kHead, kRelaxed)) return value;
    }
  }

 private:
  Node dummy_;
  std::atomic<Node*> head_{&dummy_};
  std::atomic<Node*> tail_{&dummy_};
};

// Each thread inserts before it removes, so there is always something to be removed.
template <class Structure, int kThreads, int kRounds>
void inserts_and_removes(plumb::Program& program) {
  Structure structure;
  std::array<std::array<Node, kRounds>, kThreads> nodes;
  for (int thread = 0; thread < kThreads; ++thread) {
    program.thread([&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        structure.push(nodes[static_cast<std::size_t>(thread)][static_cast<std::size_t>(round)],
                       1 + thread * kRounds + round);
        program.require(structure.pop() != 0, "it is empty");
      }
    });
  }
  program.run();
}

template <class Structure, int kThreads, int kRounds>
void expect_executions(std::uint64_t sequential, std::uint64_t weak) {
  const auto body = &inserts_and_removes<Structure, kThreads, kRounds>;
  const auto few = plumb::explore(body);
  EXPECT_TRUE(few.passed()) << few.text();
  EXPECT_EQ(few.executions, sequential);
  const auto all = plumb::explore(body, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, weak);
  EXPECT_EQ(all.pruned, 0U);
}

TEST(WeakStructures, TreiberStack) {
  expect_executions<TreiberStack<>, 2, 1>(40, 40);
  expect_executions<TreiberStack<>, 2, 2>(6'372, 6'372);
  expect_executions<TreiberStack<>, 3, 1>(25'680, 25'680);
  expect_executions<TreiberStack<kSeqCst, kSeqCst>, 2, 2>(6'372, 6'372);
}

TEST(WeakStructures, MichaelScottQueue) { expect_executions<MichaelScottQueue<>, 2, 1>(222, 222); }

TEST(WeakStructures, LargerMichaelScottQueue) {
  const auto all = plumb::explore(&inserts_and_removes<MichaelScottQueue<>, 2, 2>, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, 363'454U);
}

// Passes under sequential consistency; not here, and the token leads to the same finding.
template <class Structure>
void expect_too_weak() {
  const auto body = &inserts_and_removes<Structure, 2, 1>;
  const auto found = plumb::explore(body, rc11());
  EXPECT_EQ(found.verdict, plumb::Outcome::kViolation) << found.text();
  auto again = rc11();
  again.replay = found.replay;
  const auto replayed = plumb::explore(body, again);
  EXPECT_EQ(replayed.kind, found.kind) << replayed.text();
  EXPECT_EQ(replayed.message, found.message);
  EXPECT_EQ(replayed.executions, 1U);
}

TEST(WeakStructures, OrdersThatAreTooWeakAreFound) {
  expect_too_weak<TreiberStack<kRelaxed, kAcquire>>();
  expect_too_weak<TreiberStack<kRelease, kRelaxed>>();
  expect_too_weak<MichaelScottQueue<kAcquire, kRelaxed>>();
  expect_too_weak<MichaelScottQueue<kRelaxed, kRelease>>();
}

}  // namespace
