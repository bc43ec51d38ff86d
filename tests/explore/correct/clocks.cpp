// A thread that comes after another is not earlier than that one was, whatever the order comes from.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "explore/programs.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using plumb_tests::expect_pass;
using plumb_tests::expect_pass_reduced;
using plumb_tests::kDependsOnTheCompiler;

TEST(Clocks, AfterWhatIsDoneOnce) {
  expect_pass(
      [](plumb::Program& p) {
        std::once_flag once;
        Clock::time_point made;
        std::atomic<bool> back = false;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            std::call_once(once, [&] {
              std::this_thread::sleep_for(1h);
              made = Clock::now();
            });
            if (Clock::now() < made) back = true;
          });
        }
        p.check([&] { return !back; });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
// What is remembered of a call_once that is over, where time passes, is no memory of the program.
TEST(Clocks, AtOnceThatIsOver) {
  expect_pass_reduced(
      [](plumb::Program& p) {
        std::once_flag once;
        std::mutex mutex;
        std::condition_variable changed;
        int made = 0;
        p.thread([&] {
          const std::lock_guard lock(mutex);
          changed.notify_one();
        });
        p.thread([&] { std::call_once(once, [&] { ++made; }); });
        p.thread([&] {
          {
            std::unique_lock lock(mutex);
            (void)changed.wait_for(lock, 1s);
          }
          std::call_once(once, [&] { ++made; });
        });
        p.check([&] { return made == 1; });
      },
      kDependsOnTheCompiler);
}
TEST(Clocks, AfterSeveralReaders) {
  expect_pass(
      [](plumb::Program& p) {
        std::shared_mutex mutex;
        Clock::time_point late;
        bool back = false;
        p.thread([&] {
          const std::shared_lock held(mutex);
          std::this_thread::sleep_for(1h);
          late = Clock::now();
        });
        p.thread([&] {
          mutex.lock_shared();  // with a clock that is behind
          mutex.unlock_shared();
          const std::lock_guard held(mutex);
          back = Clock::now() < late;
        });
        p.check([&] { return !back; });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}

}  // namespace
