// Programs that wait: condition variables, semaphores, atomics, latches, barriers, threads of their own, once, futures.
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>

#include "explore/gate.hpp"
#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;
using plumb_tests::expect_pass_reduced;

TEST(Waiting, ConditionVariable) {
  expect_pass(
      [](plumb::Program& p) {
        plumb_tests::Gate gate;
        p.thread([&] { gate.wait(); });
        p.thread([&] { gate.open(); });
        p.check([&] { return gate.ready; });
      },
      2, 2);
}

TEST(Waiting, TimeOut) {
  expect_pass(
      [](plumb::Program& p) {
        std::mutex mutex;
        std::condition_variable changed;
        bool ready = false;
        p.thread([&] {
          std::unique_lock lock(mutex);
          changed.wait_for(lock, std::chrono::seconds(1), [&] { return ready; });
        });
        p.check([&] { return !ready; });
      },
      1, 1);
}

// Only one acquires at a time: where two do, the standard library of g++ 12 is wrong (explore/wrong/deadlocks.cpp).
TEST(Waiting, Semaphore) {
  expect_pass(
      [](plumb::Program& p) {
        std::counting_semaphore<2> free(0);
        int n = 0;
        p.thread([&] {
          free.acquire();
          ++n;
        });
        p.thread([&] {
          ++n;
          free.release();
        });
        p.check([&] { return n == 2; });
      },
      plumb_tests::kDependsOnTheCompiler, plumb_tests::kDependsOnTheCompiler);
}

// As compilers make them of short loops: one that counts its rounds, and yields at six places in each.
TEST(Waiting, ALoopThatYieldsAtManyPlaces) {
  const plumb::Exploration result = plumb::explore([](plumb::Program& p) {
    std::atomic<bool> ready{false};
    p.thread([&] {
      volatile unsigned rounds = 0;
      const auto waits = [&] {
        rounds = rounds + 1;
        return !ready.load();
      };
      while (waits()) {
        std::this_thread::yield();
        if (!waits()) break;
        std::this_thread::yield();
        if (!waits()) break;
        std::this_thread::yield();
        if (!waits()) break;
        std::this_thread::yield();
        if (!waits()) break;
        std::this_thread::yield();
        if (!waits()) break;
        std::this_thread::yield();
      }
    });
    p.thread([&] { ready = true; });
    p.check([&] { return ready.load(); });
  });
  EXPECT_TRUE(result.passed()) << result.text();
  EXPECT_TRUE(result.exhausted);
}

TEST(Waiting, AtomicWait) {
  expect_pass_reduced(
      [](plumb::Program& p) {
        std::atomic<int> n{0};
        p.thread([&] { n.wait(0); });
        p.thread([&] {
          n = 1;
          n.notify_one();
        });
        p.check([&] { return n == 1; });
      },
      plumb_tests::kDependsOnTheCompiler);
}

TEST(Waiting, Latch) {
  expect_pass_reduced(
      [](plumb::Program& p) {
        std::latch done(2);
        int a = 0;
        int b = 0;
        p.thread([&] {
          a = 1;
          done.arrive_and_wait();
          p.require(b == 1, "the other one arrived");
        });
        p.thread([&] {
          b = 1;
          done.count_down();
        });
        p.check([&] { return a == 1; });
      },
      plumb_tests::kDependsOnTheCompiler);
}

TEST(Waiting, ThreadsOfItsOwn) {
  expect_pass(
      [](plumb::Program& p) {
        std::atomic<int> n{0};
        p.thread([&] {
          int mine = 0;
          std::thread other([&] {
            mine = 1;
            n.fetch_add(1);
          });
          n.fetch_add(1);
          other.join();
          p.require(mine == 1, "join orders");
        });
        p.check([&] { return n == 2; });
      },
      2, 3);
}

TEST(Waiting, CallOnceAndStatics) {
  expect_pass_reduced(
      [](plumb::Program& p) {
        std::once_flag once;
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            std::call_once(once, [&] { ++n; });
            static const auto value = std::make_unique<int>(7);
            p.require(n == 1 && *value == 7, "done once");
          });
        }
        p.check([&] { return n == 1; });
      },
      12);
}

TEST(Waiting, Async) {
  expect_pass_reduced(
      [](plumb::Program& p) {
        p.thread([&] {
          auto answer = std::async(std::launch::async, [] { return 42; });
          p.require(answer.get() == 42, "the answer arrives");
        });
        p.check([] { return true; });
      },
      1);
}

TEST(Waiting, SharedPointers) {
  expect_pass_reduced(
      [](plumb::Program& p) {
        auto shared = std::make_shared<int>(1);
        for (int i = 0; i < 2; ++i) {
          p.thread([mine = shared]() mutable { mine.reset(); });
        }
        shared.reset();
        p.check([] { return true; });
      },
      2);
}

struct Tracked {
  explicit Tracked(int v) : value(new int(v)) {}
  ~Tracked() { delete value; }
  int* value;
};
TEST(Waiting, ThreadLocalsWithConstructorsAndExceptionsInFlight) {
  expect_pass(
      [](plumb::Program& p) {
        std::atomic<int> n{0};
        for (int i = 1; i <= 2; ++i) {
          p.thread([&, i] {
            thread_local Tracked mine(i);
            try {
              throw i;
            } catch (int thrown) {
              n.fetch_add(thrown);
              p.require(*mine.value == i && thrown == i, "each thread has its own");
            }
          });
        }
        p.check([&] { return n == 3; });
      },
      2, 2);
}

}  // namespace
