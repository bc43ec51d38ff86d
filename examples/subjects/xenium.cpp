// Containers of xenium as they come, of headers alone. Nodes are freed by its own schemes.
#include <array>
#include <memory>
#include <optional>

#include <xenium/chase_work_stealing_deque.hpp>
#include <xenium/left_right.hpp>
#include <xenium/michael_scott_queue.hpp>
#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>
#include <xenium/seqlock.hpp>
#include <xenium/vyukov_bounded_queue.hpp>

#include "by_value.hpp"

using HazardPointers = xenium::reclamation::hazard_pointer<>::with<
    xenium::policy::allocation_strategy<xenium::reclamation::hp_allocation::static_strategy<3>>>;

class XeniumMsQueue {
 public:
  void push(int value) { queue_.push(value); }
  std::optional<int> pop() {
    int value = 0;
    return queue_.try_pop(value) ? std::optional(value) : std::nullopt;
  }

 private:
  xenium::michael_scott_queue<int, xenium::policy::reclaimer<HazardPointers>> queue_;
};
PLUMB_TEST(XeniumMsQueue, test) {
  push_and_pop(test);
  test.allow_leaks();
}

template <unsigned kCells>
class RamalheteQueue {
 public:
  void push(int value) { queue_.push(std::make_unique<int>(value)); }
  std::optional<int> pop() {
    std::unique_ptr<int> value;
    return queue_.try_pop(value) ? std::optional(*value) : std::nullopt;
  }

 private:
  xenium::ramalhete_queue<std::unique_ptr<int>, xenium::policy::reclaimer<HazardPointers>,
                          xenium::policy::entries_per_node<kCells>>
      queue_;
};
using XeniumRamalheteQueue = RamalheteQueue<8>;
PLUMB_TEST(XeniumRamalheteQueue, test) {
  push_and_pop(test);
  test.allow_leaks();
}

// Where a node is full when the queue is destroyed, its destructor goes beyond the last cell, back to the first, and frees what that holds once
// more: no other thread is needed, nor a weak order.
using XeniumRamalheteFull = RamalheteQueue<2>;
PLUMB_TEST(XeniumRamalheteFull, test) {
  push_and_pop(test);
  test.allow_leaks();
}

class XeniumVyukovQueue {
 public:
  bool push(int value) { return queue_.try_push_strong(value); }
  std::optional<int> pop() {
    int value = 0;
    return queue_.try_pop_strong(value) ? std::optional(value) : std::nullopt;
  }

 private:
  xenium::vyukov_bounded_queue<int> queue_{2};
};
PLUMB_TEST(XeniumVyukovQueue, test) { push_and_pop(test); }

// The owner pushes and pops, others steal. What is stolen is a pointer.
class XeniumDeque {
 public:
  bool push(int value) { return deque_.try_push(&values_.at(static_cast<std::size_t>(value))); }
  std::optional<int> pop() {
    int* value = nullptr;
    return deque_.try_pop(value) ? std::optional(*value) : std::nullopt;
  }
  std::optional<int> steal() {
    int* value = nullptr;
    return deque_.try_steal(value) ? std::optional(*value) : std::nullopt;
  }

 private:
  std::array<int, 3> values_{0, 1, 2};
  xenium::chase_work_stealing_deque<int, xenium::policy::capacity<8>> deque_;
};
PLUMB_TEST(XeniumDeque, test) {
  test.operation("push", &XeniumDeque::push, plumb::values(1, 2)).one_thread("owner");
  test.operation("pop", &XeniumDeque::pop).one_thread("owner");
  test.operation("steal", &XeniumDeque::steal).may_fail_when_contended();
}

// Of two words.
class XeniumSeqLock {
 public:
  void store(int value) { pair_.store({value, value}); }
  bool whole() const {
    const Pair pair = pair_.load();
    return pair.first == pair.second;
  }
  long load() const { return pair_.load().first; }

 private:
  struct Pair {
    long first;
    long second;
  };
  xenium::seqlock<Pair> pair_{Pair{0, 0}};
};
PLUMB_TEST(XeniumSeqLock, test) {
  test.operation("store", &XeniumSeqLock::store, plumb::values(1, 2));
  test.operation("load", &XeniumSeqLock::load);
  test.operation("whole", &XeniumSeqLock::whole);
}

class XeniumLeftRight {
 public:
  void store(int value) {
    value_.update([value](int& instance) { instance = value; });
  }
  int load() const {
    return value_.read([](const int& instance) { return instance; });
  }

 private:
  xenium::left_right<int> value_{0};
};
PLUMB_TEST(XeniumLeftRight, test) {
  test.operation("store", &XeniumLeftRight::store, plumb::values(1, 2));
  test.operation("load", &XeniumLeftRight::load);
}
