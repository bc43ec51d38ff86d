// Lock-free structures each of whose memory orders can be weakened, one at a time: `kMutant` is the number of the one, 0 is none. What holds
// under sequential consistency holds for all of them; with an order that is too weak, something does not hold any more.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include <plumb/explore.hpp>

namespace mutated {

using Order = std::memory_order;
constexpr Order kRelaxed = std::memory_order_relaxed;
constexpr Order kAcquire = std::memory_order_acquire;
constexpr Order kRelease = std::memory_order_release;
constexpr Order kBoth = std::memory_order_acq_rel;
constexpr Order kSeqCst = std::memory_order_seq_cst;

template <int kMutant>
struct Orders {
  // The order at a site, and the one that it is weakened to.
  template <int kSite>
  static constexpr Order at(Order right, Order weaker) {
    return kSite == kMutant ? weaker : right;
  }
};

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

template <int kMutant>
void treiber(plumb::Program& p) {
  using At = Orders<kMutant>;
  std::atomic<Node*> top{nullptr};
  std::array<Node, 2> nodes;
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      Node* node = &nodes[i];
      node->value = 1;
      Node* old = top.load(kRelaxed);
      do {
        node->next.store(old, kRelaxed);
      } while (!top.compare_exchange_strong(old, node, At::template at<1>(kRelease, kRelaxed), kRelaxed));
      old = top.load(At::template at<2>(kAcquire, kRelaxed));
      do {
        p.require(old != nullptr, "the stack is empty");
      } while (!top.compare_exchange_strong(old, old->next.load(kRelaxed),
                                            At::template at<3>(kAcquire, kRelaxed),
                                            At::template at<3>(kAcquire, kRelaxed)));
      p.require(old->value == 1, "no value");
    });
  }
  p.run();
}

// The threads allocate their nodes: who does not know that must not touch one.
template <int kMutant>
class MichaelScottQueue {
 public:
  ~MichaelScottQueue() {
    for (Node* node = first_; node != nullptr;) delete std::exchange(node, node->next.load());
  }

  void enqueue(int value) {
    Node* node = new Node{.value = value};
    for (;;) {
      Node* last = tail_.load(At::template at<1>(kAcquire, kRelaxed));
      Node* next = last->next.load(At::template at<2>(kAcquire, kRelaxed));
      if (last != tail_.load(At::template at<3>(kAcquire, kRelaxed))) continue;
      if (next != nullptr) {
        tail_.compare_exchange_strong(last, next, At::template at<4>(kRelease, kRelaxed), kRelaxed);
        continue;
      }
      if (!last->next.compare_exchange_strong(next, node, At::template at<5>(kRelease, kRelaxed), kRelaxed))
        continue;
      tail_.compare_exchange_strong(last, node, At::template at<6>(kRelease, kRelaxed), kRelaxed);
      return;
    }
  }
  int dequeue() {  // 0: it is empty
    for (;;) {
      Node* first = head_.load(At::template at<7>(kAcquire, kRelaxed));
      Node* last = tail_.load(At::template at<8>(kAcquire, kRelaxed));
      Node* next = first->next.load(At::template at<9>(kAcquire, kRelaxed));
      if (first != head_.load(At::template at<10>(kAcquire, kRelaxed))) continue;
      if (next == nullptr) return 0;
      if (first == last) {
        tail_.compare_exchange_strong(last, next, At::template at<11>(kRelease, kRelaxed), kRelaxed);
        continue;
      }
      const int value = next->value;
      if (head_.compare_exchange_strong(first, next, At::template at<12>(kRelease, kRelaxed), kRelaxed))
        return value;
    }
  }

 private:
  using At = Orders<kMutant>;
  Node* first_ = new Node;
  std::atomic<Node*> head_{first_};
  std::atomic<Node*> tail_{first_};
};

template <int kMutant>
void michael_scott(plumb::Program& p) {
  MichaelScottQueue<kMutant> queue;
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      queue.enqueue(1);
      p.require(queue.dequeue() == 1, "the queue is empty");
    });
  }
  p.run();
}
template <int kMutant>
void michael_scott_enqueues(plumb::Program& p) {
  MichaelScottQueue<kMutant> queue;
  for (int i = 0; i < 3; ++i) p.thread([&] { queue.enqueue(1); });
  p.run();
}
// One of three may help another, for the third.
template <int kMutant>
void michael_scott_of_three(plumb::Program& p) {
  MichaelScottQueue<kMutant> queue;
  p.thread([&] { queue.enqueue(1); });
  p.thread([&] { queue.dequeue(); });
  p.thread([&] { queue.enqueue(2); });
  p.run();
}

// The orders of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013), without growing.
template <int kMutant>
void chase_lev(plumb::Program& p) {
  using At = Orders<kMutant>;
  std::atomic<long> top{0};
  std::atomic<long> bottom{0};
  std::array<std::atomic<int>, 4> slots{};
  std::array<int, 4> got{};
  const auto push = [&](int value) {
    const long at = bottom.load(kRelaxed);
    slots[static_cast<std::size_t>(at % 4)].store(value, kRelaxed);
    std::atomic_thread_fence(At::template at<1>(kRelease, kRelaxed));
    bottom.store(at + 1, kRelaxed);
  };
  const auto take = [&] {
    const long at = bottom.load(kRelaxed) - 1;
    bottom.store(at, kRelaxed);
    std::atomic_thread_fence(At::template at<2>(kSeqCst, kBoth));
    long first = top.load(kRelaxed);
    if (first > at) {
      bottom.store(at + 1, kRelaxed);
      return 0;
    }
    int value = slots[static_cast<std::size_t>(at % 4)].load(kRelaxed);
    if (first == at) {
      if (!top.compare_exchange_strong(first, first + 1, At::template at<3>(kSeqCst, kRelaxed), kRelaxed))
        value = 0;
      bottom.store(at + 1, kRelaxed);
    }
    return value;
  };
  const auto steal = [&] {
    long first = top.load(At::template at<4>(kAcquire, kRelaxed));
    std::atomic_thread_fence(At::template at<5>(kSeqCst, kBoth));
    const long last = bottom.load(At::template at<6>(kAcquire, kRelaxed));
    if (first >= last) return 0;
    const int value = slots[static_cast<std::size_t>(first % 4)].load(kRelaxed);
    p.require(value != 0, "an empty slot is stolen");
    const bool won =
        top.compare_exchange_strong(first, first + 1, At::template at<7>(kSeqCst, kRelaxed), kRelaxed);
    return won ? value : 0;
  };
  p.thread([&] {
    push(1);
    push(2);
    got[0] = take();
    got[1] = take();
  });
  p.thread([&] {
    got[2] = steal();
    got[3] = steal();
  });
  p.run();
  for (std::size_t i = 0; i < got.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) p.require(got[i] == 0 || got[i] != got[j], "taken twice");
  }
}

// With atomic data: Boehm, MSPC 2012.
template <int kMutant>
void sequence_lock(plumb::Program& p) {
  using At = Orders<kMutant>;
  std::atomic<int> sequence{0};
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  p.thread([&] {
    sequence.store(1, kRelaxed);
    std::atomic_thread_fence(At::template at<1>(kRelease, kRelaxed));
    x.store(1, kRelaxed);
    y.store(1, kRelaxed);
    sequence.store(2, At::template at<2>(kRelease, kRelaxed));
  });
  p.thread([&] {
    const int before = sequence.load(At::template at<3>(kAcquire, kRelaxed));
    const int a = x.load(kRelaxed);
    const int b = y.load(kRelaxed);
    std::atomic_thread_fence(At::template at<4>(kAcquire, kRelaxed));
    if (before % 2 == 0 && sequence.load(kRelaxed) == before) p.require(a == b, "torn");
  });
  p.run();
}

// A new version is published; readers use what they see.
template <int kMutant>
void publication(plumb::Program& p) {
  using At = Orders<kMutant>;
  Node first{.value = 1};
  Node second;
  std::atomic<Node*> current{&first};
  p.thread([&] {
    second.value = 2;
    current.store(&second, At::template at<1>(kRelease, kRelaxed));
  });
  for (int i = 0; i < 2; ++i) {
    p.thread(
        [&] { p.require(current.load(At::template at<2>(kAcquire, kRelaxed))->value != 0, "no value"); });
  }
  p.run();
}

// One reader protects what it reads; one writer exchanges it, and frees what nobody protects.
template <int kMutant>
void hazard_pointer(plumb::Program& p) {
  using At = Orders<kMutant>;
  std::atomic<int*> shared{new int(1)};
  std::atomic<int*> hazard{nullptr};
  int* kept = nullptr;
  p.thread([&] {
    int* mine = shared.load(kRelaxed);
    for (;;) {
      hazard.store(mine, At::template at<1>(kSeqCst, kRelease));
      int* again = shared.load(At::template at<2>(kSeqCst, kAcquire));
      if (again == mine) break;
      mine = again;
    }
    p.require(*mine != 0, "no value");
    hazard.store(nullptr, At::template at<3>(kRelease, kRelaxed));
  });
  p.thread([&] {
    int* old = shared.exchange(new int(2), At::template at<4>(kSeqCst, kBoth));
    if (hazard.load(At::template at<5>(kSeqCst, kAcquire)) == old) {
      kept = old;
    } else {
      delete old;
    }
  });
  p.run();
  delete kept;
  delete shared.load();
}

// Vyukov's bounded queue: two cells, so that they are used again.
template <int kMutant>
void bounded_ring(plumb::Program& p) {
  using At = Orders<kMutant>;
  struct Cell {
    std::atomic<unsigned> sequence{0};
    int value = 0;
  };
  std::array<Cell, 2> cells;
  cells[1].sequence.store(1, kRelaxed);
  std::atomic<unsigned> tail{0};
  std::atomic<unsigned> head{0};
  const auto push = [&](int value) {
    unsigned at = tail.load(kRelaxed);
    Cell& cell = cells[at % 2];
    if (cell.sequence.load(At::template at<1>(kAcquire, kRelaxed)) != at) return;
    if (!tail.compare_exchange_strong(at, at + 1, kRelaxed)) return;
    cell.value = value;
    cell.sequence.store(at + 1, At::template at<2>(kRelease, kRelaxed));
  };
  const auto pop = [&] {
    unsigned at = head.load(kRelaxed);
    Cell& cell = cells[at % 2];
    if (cell.sequence.load(At::template at<3>(kAcquire, kRelaxed)) != at + 1) return;
    if (!head.compare_exchange_strong(at, at + 1, kRelaxed)) return;
    p.require(cell.value == static_cast<int>(at) + 1, "another value");
    cell.sequence.store(at + 2, At::template at<4>(kRelease, kRelaxed));
  };
  p.thread([&] {
    for (int value = 1; value < 4; ++value) push(value);
  });
  p.thread([&] {
    pop();
    pop();
  });
  p.run();
}

template <int kMutant>
void peterson(plumb::Program& p) {
  using At = Orders<kMutant>;
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<std::size_t> turn{0};
  int count = 0;
  for (std::size_t self = 0; self < 2; ++self) {
    p.thread([&, self] {
      const std::size_t other = 1 - self;
      wants[self].store(true, At::template at<1>(kSeqCst, kRelease));
      turn.store(other, At::template at<2>(kSeqCst, kRelease));
      while (wants[other].load(At::template at<3>(kSeqCst, kAcquire)) &&
             turn.load(At::template at<4>(kSeqCst, kAcquire)) == other) {
      }
      ++count;
      wants[self].store(false, At::template at<5>(kRelease, kRelaxed));
    });
  }
  p.check([&] { return count == 2; });
}

template <int kMutant>
void spin_lock(plumb::Program& p) {
  using At = Orders<kMutant>;
  std::atomic<bool> locked{false};
  int count = 0;
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      while (locked.exchange(true, At::template at<1>(kAcquire, kRelaxed))) {
      }
      ++count;
      locked.store(false, At::template at<2>(kRelease, kRelaxed));
    });
  }
  p.check([&] { return count == 2; });
}

template <int kMutant>
void ticket_lock(plumb::Program& p) {
  using At = Orders<kMutant>;
  std::atomic<int> next{0};
  std::atomic<int> serving{0};
  int count = 0;
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      const int mine = next.fetch_add(1, kRelaxed);
      while (serving.load(At::template at<1>(kAcquire, kRelaxed)) != mine) {
      }
      ++count;
      serving.store(mine + 1, At::template at<2>(kRelease, kRelaxed));
    });
  }
  p.check([&] { return count == 2; });
}

}  // namespace mutated
