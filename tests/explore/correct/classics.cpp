// Programs of the textbooks: bakery, seqlock, reader-writer lock, double-checked locking,
// barriers, a pool of threads.
#include <array>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;
using plumb_tests::expect_pass_reduced;
using plumb_tests::kDependsOnTheCompiler;

// Lamport, 1974: who draws the lower number goes first; the thread's own number decides a draw.
void bakery(plumb::Program& p) {
  std::array<std::atomic<bool>, 2> choosing{};
  std::array<std::atomic<int>, 2> number{};
  int n = 0;
  for (std::size_t me = 0; me < 2; ++me) {
    p.thread([&, me] {
      const std::size_t other = 1 - me;
      choosing[me] = true;
      number[me] = number[other] + 1;
      choosing[me] = false;
      while (choosing[other]) {
      }
      for (;;) {
        const int theirs = number[other];
        if (theirs == 0 || std::pair(theirs, other) > std::pair(number[me].load(), me)) break;
      }
      ++n;
      number[me] = 0;
    });
  }
  p.check([&] { return n == 2; });
}
TEST(Classics, Bakery) { expect_pass_reduced(bakery, kDependsOnTheCompiler); }

// One writer, whose data is read without a lock: a reader that saw an odd or another count tries again. The
// data is atomic and relaxed; fences order it (Boehm, MSPC 2012).
void seqlock(plumb::Program& p) {
  std::atomic<unsigned> count{0};
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  p.thread([&] {
    count.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    x.store(1, std::memory_order_relaxed);
    y.store(1, std::memory_order_relaxed);
    count.store(2, std::memory_order_release);
  });
  p.thread([&] {
    for (int attempt = 0; attempt < 2; ++attempt) {
      const unsigned before = count.load(std::memory_order_acquire);
      const int seen_x = x.load(std::memory_order_relaxed);
      const int seen_y = y.load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && count.load(std::memory_order_relaxed) == before) {
        p.require(seen_x == seen_y, "what was read belongs together");
        return;
      }
    }
  });
  p.check([&] { return count == 2; });
}
TEST(Classics, Seqlock) { expect_pass(seqlock, kDependsOnTheCompiler, kDependsOnTheCompiler); }

// A count of readers, or -1 while somebody writes.
struct ReaderWriterLock {
  std::atomic<int> state{0};

  void lock_shared() {
    for (;;) {
      int readers = state.load();
      if (readers >= 0 && state.compare_exchange_strong(readers, readers + 1)) return;
    }
  }
  void unlock_shared() { state.fetch_sub(1); }
  void lock() {
    for (;;) {
      int free = 0;
      if (state.compare_exchange_strong(free, -1)) return;
    }
  }
  void unlock() { state.store(0); }
};
void reader_writer_lock(plumb::Program& p) {
  ReaderWriterLock lock;
  int data = 0;
  p.thread([&] {
    lock.lock();
    ++data;
    lock.unlock();
  });
  p.thread([&] {
    lock.lock_shared();
    p.require(data >= 0, "readable");
    lock.unlock_shared();
  });
  p.thread([&] {
    lock.lock_shared();
    p.require(data >= 0, "readable");
    lock.unlock_shared();
  });
  p.check([&] { return data == 1; });
}
TEST(Classics, ReaderWriterLock) { expect_pass_reduced(reader_writer_lock, kDependsOnTheCompiler); }

void double_checked(plumb::Program& p) {
  std::mutex mutex;
  int value = 0;
  std::atomic<int*> instance{nullptr};
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      int* found = instance.load(std::memory_order_acquire);
      if (found == nullptr) {
        const std::lock_guard lock(mutex);
        found = instance.load(std::memory_order_relaxed);
        if (found == nullptr) {
          value = 42;
          found = &value;
          instance.store(found, std::memory_order_release);
        }
      }
      p.require(*found == 42, "initialised");
    });
  }
  p.check([&] { return instance == &value; });
}
TEST(Classics, DoubleCheckedLocking) { expect_pass(double_checked, 4, 12); }

// Two phases of a barrier whose sense turns round (Hensgen, Finkel and Manber, 1988).
void sense_reversing_barrier(plumb::Program& p) {
  std::atomic<int> waiting{0};
  std::atomic<bool> sense{false};
  std::array<int, 2> phase{};
  for (std::size_t me = 0; me < 2; ++me) {
    p.thread([&, me] {
      bool mine = false;
      for (int round = 1; round <= 2; ++round) {
        phase[me] = round;
        mine = !mine;
        if (waiting.fetch_add(1) == 1) {
          waiting = 0;
          sense = mine;
        } else {
          while (sense != mine) {
          }
        }
        p.require(phase[1 - me] >= round, "nobody goes on before all have come");
        if (waiting.fetch_add(1) == 1) {  // nor begins the next phase before all have looked
          waiting = 0;
          sense = !mine;
        } else {
          while (sense == mine) {
          }
        }
        mine = !mine;
      }
    });
  }
  p.check([&] { return phase[0] == 2 && phase[1] == 2; });
}
TEST(Classics, SenseReversingBarrier) { expect_pass_reduced(sense_reversing_barrier, kDependsOnTheCompiler); }

void standard_barrier(plumb::Program& p) {
  int completed = 0;
  std::barrier barrier(2, [&]() noexcept { ++completed; });
  std::array<int, 2> arrived{};
  for (std::size_t me = 0; me < 2; ++me) {
    p.thread([&, me] {
      arrived[me] = 1;
      barrier.arrive_and_wait();
      p.require(arrived[1 - me] == 1 && completed == 1, "all have come");
    });
  }
  p.check([&] { return completed == 1; });
}
TEST(Classics, StandardBarrier) {
  const auto result = plumb::explore(standard_barrier, {.preemptions = 2});
  EXPECT_TRUE(result.passed()) << result.text();
}

// Workers that take tasks from a list until it is closed.
class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  void add(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopped_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stopped_ = false;
};
void pool(plumb::Program& p) {
  std::atomic<int> done{0};
  p.thread([&] {
    Pool workers(2);
    for (int i = 0; i < 2; ++i) workers.add([&] { done.fetch_add(1); });
  });
  p.check([&] { return done == 2; });
}
// Which of two waiters is woken is part of a trace, also where both are in the end.
TEST(Classics, PoolWithAStopFlag) {
  const auto result = plumb::explore(pool, {.count_traces = true});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_EQ(result.executions, result.traces) << "a trace was run twice";
}

void atomic_shared_pointer(plumb::Program& p) {
  std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};
  p.thread([&] { shared.store(std::make_shared<int>(2)); });
  p.thread([&] {
    const std::shared_ptr<int> mine = shared.load();
    p.require(*mine == 1 || *mine == 2, "it lives while it is held");
  });
  p.check([&] { return *shared.load() == 2; });
}
// libstdc++'s own race (execution_findings.cpp) is not reported, others are (explore/wrong/classics.cpp).
TEST(Classics, AtomicSharedPointer) {
  const auto result = plumb::explore(atomic_shared_pointer);
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

void exchanged_shared_pointer(plumb::Program& p) {
  std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};
  p.thread([&] { p.require(*shared.exchange(std::make_shared<int>(2)) == 1, "the one before"); });
  p.thread([&] { p.require(*shared.load() > 0, "it lives while it is held"); });
  p.check([&] { return *shared.load() == 2; });
}
TEST(Classics, ExchangedSharedPointer) {
  const auto result = plumb::explore(exchanged_shared_pointer);
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

// The older functions take a mutex out of a pool.
void functions_for_shared_pointers(plumb::Program& p) {
  auto shared = std::make_shared<int>(1);
  p.thread([&] { std::atomic_store(&shared, std::make_shared<int>(2)); });
  p.thread([&] {
    const std::shared_ptr<int> mine = std::atomic_load(&shared);
    p.require(*mine == 1 || *mine == 2, "it lives while it is held");
  });
  p.check([&] { return *shared == 2; });
}
TEST(Classics, FunctionsForSharedPointers) {
  const auto result = plumb::explore(functions_for_shared_pointers);
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

// An exception is in flight in each of two threads while they take turns; one travels through a future of a
// third.
void exceptions_in_flight(plumb::Program& p) {
  std::atomic<int> sum{0};
  for (int i = 1; i <= 2; ++i) {
    p.thread([&, i] {
      try {
        try {
          throw i;
        } catch (int first) {
          sum.fetch_add(first);
          throw std::runtime_error(std::to_string(first));
        }
      } catch (const std::exception& error) {
        sum.fetch_add(1);
        p.require(error.what() == std::to_string(i), "each thread catches its own");
      }
    });
  }
  p.check([&] { return sum == 5; });
}
TEST(Classics, ExceptionsInFlight) { expect_pass(exceptions_in_flight, 6, 6); }

}  // namespace
