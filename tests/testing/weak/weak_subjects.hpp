// Small classes whose results depend on memory orders, which are their parameters: right with some of them, wrong with others.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace plumb_tests {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kAcqRel = std::memory_order_acq_rel;
constexpr auto kSeqCst = std::memory_order_seq_cst;

// Where nodes come from. To allocate memory is to write it, so who comes to a new node by orders that are too weak has a race; those of
// a pool are there from the beginning, and all they hold is atomic: then wrong orders are wrong results.
struct Node {
  std::atomic<int> value{0};
  std::atomic<Node*> next{nullptr};
};
struct FromHeap {
  static Node* get() { return new Node; }
};
struct FromPool {
  std::array<Node, 8> nodes;
  std::atomic<std::size_t> used{0};
  Node* get() { return &nodes[used.fetch_add(1, kRelaxed)]; }
};

// Treiber's stack. Nodes are never freed.
template <std::memory_order kPush = kRelease, std::memory_order kPop = kAcquire, class Nodes = FromHeap>
struct WeakStack {
  Nodes nodes;
  std::atomic<Node*> head{nullptr};

  void push(int v) {
    Node* node = nodes.get();
    node->value.store(v, kRelaxed);
    Node* top = head.load(kRelaxed);
    do {
      node->next.store(top, kRelaxed);
    } while (!head.compare_exchange_weak(top, node, kPush, kRelaxed));
  }
  int pop() {
    Node* top = head.load(kPop);
    while (top != nullptr) {
      Node* next = top->next.load(kRelaxed);
      if (head.compare_exchange_weak(top, next, kPop, kPop)) return top->value.load(kRelaxed);
    }
    return -1;
  }
};

// The queue of Michael and Scott, likewise.
template <std::memory_order kLoad = kAcquire, std::memory_order kLink = kRelease,
          std::memory_order kMove = kRelease, class Nodes = FromHeap>
struct WeakQueue {
  Nodes nodes;
  std::atomic<Node*> head;
  std::atomic<Node*> tail;

  WeakQueue() {
    Node* first = nodes.get();
    head.store(first, kRelaxed);
    tail.store(first, kRelaxed);
  }
  void push(int v) {
    Node* node = nodes.get();
    node->value.store(v, kRelaxed);
    for (;;) {
      Node* last = tail.load(kLoad);
      Node* next = last->next.load(kLoad);
      if (last != tail.load(kLoad)) continue;
      if (next != nullptr) {
        tail.compare_exchange_strong(last, next, kMove, kRelaxed);
      } else if (last->next.compare_exchange_strong(next, node, kLink, kRelaxed)) {
        tail.compare_exchange_strong(last, node, kMove, kRelaxed);
        return;
      }
    }
  }
  int pop() {
    for (;;) {
      Node* first = head.load(kLoad);
      Node* last = tail.load(kLoad);
      Node* next = first->next.load(kLoad);
      if (first != head.load(kLoad)) continue;
      if (next == nullptr) {
        if (first == last) return -1;
      } else if (first == last) {
        tail.compare_exchange_strong(last, next, kMove, kRelaxed);
      } else {
        const int value = next->value.load(kRelaxed);
        if (head.compare_exchange_strong(first, next, kMove, kRelaxed)) return value;
      }
    }
  }
};

// Two registers.
template <std::memory_order kStore = kRelease, std::memory_order kLoad = kAcquire>
struct WeakRegisters {
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  void write_x() { x.store(1, kStore); }
  void write_y() { y.store(1, kStore); }
  int read_x() { return x.load(kLoad); }
  int read_y() { return y.load(kLoad); }
};

// A counter behind a lock of its own.
template <std::memory_order kLock = kAcquire, std::memory_order kUnlock = kRelease>
struct SpinLockCounter {
  std::atomic<bool> locked{false};
  std::atomic<int> n{0};  // atomic: what is wrong with the lock is a wrong result
  int increment() {
    while (locked.exchange(true, kLock)) {
    }
    const int seen = n.load(kRelaxed) + 1;
    n.store(seen, kRelaxed);
    locked.store(false, kUnlock);
    return seen;
  }
};

struct MutexRegister {
  std::mutex mutex;
  int value = 0;
  int exchange(int v) {
    const std::lock_guard lock(mutex);
    return std::exchange(value, v);
  }
};

// The work-stealing deque of Chase and Lev, with the orders of Lê, Pop, Cohen and Zappa Nardelli (PPoPP 2013). Its owner pushes and
// takes at one end, others steal at the other. It never wraps around.
template <std::memory_order kTakeFence = kSeqCst, std::memory_order kStealFence = kSeqCst,
          std::memory_order kPublish = kRelease>
struct ChaseLevDeque {
  std::atomic<long> top{0};
  std::atomic<long> bottom{0};
  std::array<std::atomic<int>, 8> items{};

  void push(int v) {
    const long b = bottom.load(kRelaxed);
    items[static_cast<std::size_t>(b)].store(v, kRelaxed);
    std::atomic_thread_fence(kPublish);
    bottom.store(b + 1, kRelaxed);
  }
  int take() {
    const long b = bottom.load(kRelaxed) - 1;
    bottom.store(b, kRelaxed);
    std::atomic_thread_fence(kTakeFence);
    long t = top.load(kRelaxed);
    if (t > b) {
      bottom.store(b + 1, kRelaxed);
      return -1;
    }
    int v = items[static_cast<std::size_t>(b)].load(kRelaxed);
    if (t < b) return v;
    if (!top.compare_exchange_strong(t, t + 1, kSeqCst, kRelaxed)) v = -1;
    bottom.store(b + 1, kRelaxed);
    return v;
  }
  int steal() {
    for (;;) {
      long t = top.load(kAcquire);
      std::atomic_thread_fence(kStealFence);
      const long b = bottom.load(kAcquire);
      if (t >= b) return -1;
      const int v = items[static_cast<std::size_t>(t)].load(kRelaxed);
      if (top.compare_exchange_strong(t, t + 1, kSeqCst, kRelaxed)) return v;
    }
  }
};

// A ring for one producer and one consumer.
template <std::memory_order kStore = kRelease, std::memory_order kLoad = kAcquire, std::size_t kSize = 8>
struct SpscRing {
  std::atomic<std::size_t> head{0};
  std::atomic<std::size_t> tail{0};
  std::array<std::atomic<int>, kSize> items{};

  bool push(int v) {
    const std::size_t at = tail.load(kRelaxed);
    if (at - head.load(kLoad) == kSize) return false;
    items[at % kSize].store(v, kRelaxed);
    tail.store(at + 1, kStore);
    return true;
  }
  int pop() {
    const std::size_t at = head.load(kRelaxed);
    if (at == tail.load(kLoad)) return -1;
    const int v = items[at % kSize].load(kRelaxed);
    head.store(at + 1, kStore);
    return v;
  }
};

// Two words that are written by one thread, and read as they were written.
template <std::memory_order kPublish = kRelease, std::memory_order kWriterFence = kRelease,
          std::memory_order kReaderFence = kAcquire>
struct SeqLock {
  std::atomic<unsigned> version{0};
  std::atomic<int> low{0};
  std::atomic<int> high{0};

  void write(int v) {
    const unsigned now = version.load(kRelaxed);
    version.store(now + 1, kRelaxed);
    std::atomic_thread_fence(kWriterFence);
    low.store(v, kRelaxed);
    high.store(v, kRelaxed);
    version.store(now + 2, kPublish);
  }
  int read() {
    for (;;) {
      const unsigned before = version.load(kAcquire);
      if (before % 2 != 0) continue;
      const int a = low.load(kRelaxed);
      const int b = high.load(kRelaxed);
      std::atomic_thread_fence(kReaderFence);
      if (version.load(kRelaxed) == before) return 10 * a + b;
    }
  }
};

// A counter behind Peterson's lock for two threads.
template <std::memory_order kStore = kSeqCst, std::memory_order kLoad = kSeqCst>
struct PetersonCounter {
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<int> turn{0};
  std::atomic<int> n{0};

  int increment(std::size_t self) {
    wants[self].store(true, kStore);
    turn.store(static_cast<int>(1 - self), kStore);
    while (wants[1 - self].load(kLoad) && turn.load(kLoad) != static_cast<int>(self)) {
    }
    const int seen = n.load(kRelaxed) + 1;
    n.store(seen, kRelaxed);
    wants[self].store(false, kStore == kSeqCst ? kSeqCst : kRelease);
    return seen;
  }
  int first() { return increment(0); }
  int second() { return increment(1); }
};

// A queue that blocks while it is empty.
struct WaitingQueue {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<int> items;
  std::atomic<int> pushed{0};  // for statistics
  void push(int v) {
    const std::lock_guard lock(mutex);
    items.push_back(v);
    pushed.fetch_add(1, kRelaxed);
    filled.notify_one();
  }
  int take() {
    std::unique_lock lock(mutex);
    filled.wait(lock, [&] { return !items.empty(); });
    const int v = items.front();
    items.pop_front();
    return v;
  }
};

}  // namespace plumb_tests
