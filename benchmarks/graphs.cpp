// The search of execution graphs under RC11: executions per second, how they grow, and memory. Prints a line of JSON for each measurement:
//
//   bench_graphs programs   those that GenMC is measured with, the same operations and orders
//   bench_graphs psc        what an event costs where the order of sequentially consistent ones has to be looked at
//   bench_graphs growth     more events, more threads, more locations
//   bench_graphs memory     ten million executions
//
// A name after that, "treiber 2x2", measures that row alone.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

#include <plumb/explore.hpp>

#include "resident.hpp"

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kBoth = std::memory_order_acq_rel;
constexpr auto kSeqCst = std::memory_order_seq_cst;

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

class TreiberStack {
 public:
  void insert(Node& node, int value) {
    Node* old = top_.load(kRelaxed);
    node.value = value;
    do {
      node.next.store(old, kRelaxed);
    } while (!top_.compare_exchange_strong(old, &node, kRelease, kRelaxed));
  }
  int remove() {
    Node* old = top_.load(kAcquire);
    do {
      if (old == nullptr) return 0;
    } while (!top_.compare_exchange_strong(old, old->next.load(kRelaxed), kAcquire, kAcquire));
    return old->value;
  }

 private:
  std::atomic<Node*> top_{nullptr};
};

class MichaelScottQueue {
 public:
  void insert(Node& node, int value) {
    node.value = value;
    node.next.store(nullptr, kRelaxed);
    for (;;) {
      Node* tail = tail_.load(kAcquire);
      Node* next = tail->next.load(kAcquire);
      if (tail != tail_.load(kAcquire)) continue;
      if (next != nullptr) {
        tail_.compare_exchange_strong(tail, next, kRelease, kRelaxed);
        continue;
      }
      if (tail->next.compare_exchange_strong(next, &node, kRelease, kRelaxed)) {
        tail_.compare_exchange_strong(tail, &node, kRelease, kRelaxed);
        return;
      }
    }
  }
  int remove() {
    for (;;) {
      Node* head = head_.load(kAcquire);
      Node* tail = tail_.load(kAcquire);
      Node* next = head->next.load(kAcquire);
      if (head != head_.load(kAcquire)) continue;
      if (next == nullptr) return 0;
      if (head == tail) {
        tail_.compare_exchange_strong(tail, next, kRelease, kRelaxed);
        continue;
      }
      const int value = next->value;
      if (head_.compare_exchange_strong(head, next, kRelease, kRelaxed)) return value;
    }
  }

 private:
  Node dummy_;
  std::atomic<Node*> head_{&dummy_};
  std::atomic<Node*> tail_{&dummy_};
};

// Each thread inserts before it removes, so there is always something to be removed.
template <class Structure, std::size_t kThreads, std::size_t kRounds>
void inserts_and_removes(plumb::Program& p) {
  Structure structure;
  std::array<std::array<Node, kRounds>, kThreads> nodes;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    p.thread([&, thread] {
      for (std::size_t round = 0; round < kRounds; ++round) {
        structure.insert(nodes[thread][round], static_cast<int>(1 + thread * kRounds + round));
        if (structure.remove() == 0) p.require(false, "it is empty");
      }
    });
  }
  p.run();
}

// As GenMC's tests have it, but for the slots: GenMC takes plain accesses for relaxed ones where it does not look for races.
class ChaseLevDeque {
 public:
  bool push(long value) {
    const unsigned long bottom = bottom_.load(kRelaxed);
    const unsigned long top = top_.load(kAcquire);
    if (static_cast<long>(bottom - top) >= kSlots) return false;
    slots_[bottom % kSlots].store(value, kRelaxed);
    bottom_.store(bottom + 1, kRelease);
    return true;
  }
  void take() {
    const unsigned long bottom = bottom_.load(kRelaxed);
    bottom_.store(bottom - 1, kRelaxed);
    std::atomic_thread_fence(kSeqCst);
    unsigned long top = top_.load(kRelaxed);
    const auto length = static_cast<long>(bottom - top);
    if (length <= 0) return bottom_.store(bottom, kRelaxed);
    slots_[(bottom - 1) % kSlots].load(kRelaxed);
    if (length > 1) return;
    top_.compare_exchange_strong(top, top + 1, kBoth, kAcquire);
    bottom_.store(bottom, kRelaxed);
  }
  void steal() {
    unsigned long top = top_.load(kRelaxed);
    std::atomic_thread_fence(kSeqCst);
    const unsigned long bottom = bottom_.load(kAcquire);
    if (static_cast<long>(bottom - top) <= 0) return;
    slots_[top % kSlots].load(kRelaxed);
    top_.compare_exchange_strong(top, top + 1, kRelease, kRelaxed);
  }

 private:
  static constexpr long kSlots = 10;
  std::atomic<unsigned long> bottom_{0};
  std::atomic<unsigned long> top_{0};
  std::array<std::atomic<long>, kSlots> slots_{};
};

template <int kThieves>
void chase_lev(plumb::Program& p) {
  ChaseLevDeque deque;
  p.thread([&] {
    long value = 0;
    for (int i = 0; i < 5; ++i) deque.push(++value);
    for (int i = 0; i < 3; ++i) deque.take();
    for (int i = 0; i < 2; ++i) deque.push(++value);
  });
  for (int thief = 0; thief < kThieves; ++thief) p.thread([&] { deque.steal(); });
  p.run();
}

// Accesses of both kinds to the same places: few graphs are sequentially consistent, so in nearly all of them the order of the
// sequentially consistent events has to be looked at.
template <std::size_t kThreads, std::size_t kAccesses>
void seq_cst_among_relaxed(plumb::Program& p) {
  std::array<std::atomic<int>, kThreads> places{};
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    p.thread([&, thread] {
      for (std::size_t i = 0; i < kAccesses; ++i) {
        places[thread].store(static_cast<int>(i) + 1, i % 2 == 0 ? kSeqCst : kRelaxed);
        places[(thread + 1 + i) % kThreads].load(i % 2 == 0 ? kSeqCst : kRelaxed);
      }
    });
  }
  p.run();
}

// Each thread adds to one location after the other.
template <std::size_t kThreads, std::size_t kAdds, std::size_t kLocations>
void adds(plumb::Program& p) {
  std::array<std::atomic<int>, kLocations> counts{};
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    p.thread([&, thread] {
      for (std::size_t i = 0; i < kAdds; ++i) counts[(thread + i) % kLocations].fetch_add(1, kRelaxed);
    });
  }
  p.run();
}

// Of this thread, which runs all fibers: that of a process with several threads goes by the kernel's ticks.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string g_only;  // this row alone

// A short search is run again and again: the machine is often shared, so the best one counts.
void measure(const std::string& name, const std::function<void(plumb::Program&)>& body,
             plumb::ExploreOptions options = {}) {
  if (!g_only.empty() && name != g_only) return;
  constexpr double kLongEnough = 0.3;
  options.memory_model = plumb::MemoryModel::kRc11;
  options.every_execution = true;
  const double begin = processor_seconds();
  plumb::Exploration result;
  double best = 1e9;
  do {
    const double before = processor_seconds();
    result = plumb::explore(body, options);
    best = std::min(best, processor_seconds() - before);
  } while (processor_seconds() - begin < kLongEnough);
  std::printf(R"({"name": "%s", "executions": %llu, "pruned": %llu, "steps": %llu, "ended_by": "%s", )"
              R"("processor_seconds": %.9f, "resident_kb": %ld})"
              "\n",
              name.c_str(), static_cast<unsigned long long>(result.executions),
              static_cast<unsigned long long>(result.pruned), static_cast<unsigned long long>(result.steps),
              std::string(to_string(*result.ended_by)).c_str(), best, resident_kilobytes());
  std::fflush(stdout);
}

void measure_programs() {
  measure("treiber 2x2", inserts_and_removes<TreiberStack, 2, 2>);
  measure("treiber 3x1", inserts_and_removes<TreiberStack, 3, 1>);
  measure("msqueue 2x2", inserts_and_removes<MichaelScottQueue, 2, 2>);
  measure("chase-lev, 2 thieves", chase_lev<2>);
  measure("chase-lev, 3 thieves", chase_lev<3>);
}

void measure_psc() {
  measure("3 threads, 2 stores and loads each", seq_cst_among_relaxed<3, 2>);
  measure("2 threads, 4 stores and loads each", seq_cst_among_relaxed<2, 4>, {.executions = 300'000});
  measure("3 threads, 3 stores and loads each", seq_cst_among_relaxed<3, 3>, {.executions = 300'000});
}

void measure_growth() {
  measure("2 threads, 4 adds each, 1 location", adds<2, 4, 1>);
  measure("2 threads, 8 adds each, 1 location", adds<2, 8, 1>, {.executions = 300'000});
  measure("2 threads, 16 adds each, 1 location", adds<2, 16, 1>, {.executions = 300'000});
  measure("2 threads, 32 adds each, 1 location", adds<2, 32, 1>, {.executions = 300'000});
  measure("4 threads, 8 adds each, 1 location", adds<4, 8, 1>, {.executions = 300'000});
  measure("8 threads, 4 adds each, 1 location", adds<8, 4, 1>, {.executions = 300'000});
  measure("4 threads, 8 adds each, 4 locations", adds<4, 8, 4>, {.executions = 300'000});
  measure("4 threads, 8 adds each, 32 locations", adds<4, 8, 32>, {.executions = 300'000});
}

void measure_memory() {
  for (const std::uint64_t millions : {1, 1, 8}) {
    measure(std::to_string(millions) + " million", adds<4, 4, 1>, {.executions = millions * 1'000'000});
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (count > 2) g_only = arguments[2];
  if (what == "programs") {
    measure_programs();
  } else if (what == "psc") {
    measure_psc();
  } else if (what == "growth") {
    measure_growth();
  } else if (what == "memory") {
    measure_memory();
  } else {
    std::fprintf(stderr, "usage: bench_graphs programs|psc|growth|memory [ROW]\n");
    return 2;
  }
}
