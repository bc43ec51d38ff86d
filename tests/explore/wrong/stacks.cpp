// Local variables that are used after their function has returned, or their thread has ended.
#include <pthread.h>

#include <array>
#include <atomic>
#include <mutex>
#include <thread>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

#define OWN_FRAME __attribute__((noinline))  // its locals are to have a frame of their own

struct Shared {
  std::atomic<int*> slot{nullptr};
  std::atomic<int> turn{0};
};

OWN_FRAME void lend(Shared& shared) {
  int local = 7;
  shared.slot.store(&local);
}

// In the middle of an execution: the other thread goes on.
void function_has_returned(plumb::Program& p) {
  Shared shared;
  p.thread([&] {
    lend(shared);
    shared.turn.store(1);
  });
  p.thread([&] {
    int* borrowed = shared.slot.load();
    if (shared.turn.load() == 0 && borrowed != nullptr) p.require(*borrowed == 7, "still there");
  });
  p.check([] { return true; });
}
TEST(Stacks, AFunctionHasReturned) { expect_found(function_has_returned, FindingKind::kUseAfterFree); }

// It is told that it may return, and then its variable is used: between the two there is no step.
OWN_FRAME void lend_until_told(Shared& shared) {
  int local = 7;
  shared.slot.store(&local);
  while (shared.turn.load() == 0) {
  }
}
TEST(Stacks, AFunctionMayReturnWhileItsVariableIsUsed) {
  expect_found(
      [](plumb::Program& p) {
        Shared shared;
        p.thread([&] { lend_until_told(shared); });
        p.thread([&] {
          const int* borrowed = shared.slot.load();
          if (borrowed == nullptr) return shared.turn.store(1);
          shared.turn.store(1);
          p.require(*borrowed == 7, "still there");
        });
        p.check([] { return true; });
      },
      FindingKind::kUseAfterFree);
}

void thread_has_ended(plumb::Program& p) {
  Shared shared;
  p.thread([&] {
    int local = 7;
    shared.slot.store(&local);
    shared.turn.store(1);
  });
  p.thread([&] {
    if (shared.turn.load() == 1) *shared.slot.load() = 8;
  });
  p.check([] { return true; });
}
TEST(Stacks, AThreadHasEnded) { expect_found(thread_has_ended, FindingKind::kUseAfterFree); }

// After all of them.
TEST(Stacks, AllThreadsHaveEnded) {
  expect_found(
      [](plumb::Program& p) {
        Shared shared;
        p.thread([&] { lend(shared); });
        p.run();
        p.require(*shared.slot.load() == 7, "still there");
      },
      FindingKind::kUseAfterFree);
}

void* returns_its_own(void* to) {
  int local = 7;
  *static_cast<int**>(to) = &local;
  return nullptr;
}
TEST(Stacks, AJoinedThreadsVariable) {
  expect_found(
      [](plumb::Program& p) {
        int* left = nullptr;
        pthread_t thread{};
        pthread_create(&thread, nullptr, &returns_its_own, &left);
        pthread_join(thread, nullptr);
        p.require(*left == 7, "still there");
      },
      FindingKind::kUseAfterFree);
}

// Atomic variables and locks are no better off.
OWN_FRAME void lend_an_atomic(std::atomic<std::atomic<int>*>& slot) {
  std::atomic<int> local{7};
  slot.store(&local);
}
TEST(Stacks, AnAtomicVariable) {
  expect_found(
      [](plumb::Program& p) {
        std::atomic<std::atomic<int>*> slot{nullptr};
        std::atomic<int> other{0};
        p.thread([&] {
          lend_an_atomic(slot);
          other.store(1);
        });
        p.thread([&] {
          if (other.load() == 1) slot.load()->fetch_add(1);
        });
        p.check([] { return true; });
      },
      FindingKind::kUseAfterFree);
}
OWN_FRAME void lend_a_mutex(std::atomic<std::mutex*>& slot) {
  std::mutex local;
  slot.store(&local);
}
TEST(Stacks, AMutex) {
  expect_found(
      [](plumb::Program& p) {
        std::atomic<std::mutex*> slot{nullptr};
        std::atomic<int> other{0};
        p.thread([&] {
          lend_a_mutex(slot);
          other.store(1);
        });
        p.thread([&] {
          if (other.load() == 1) slot.load()->lock();
        });
        p.check([] { return true; });
      },
      FindingKind::kUseAfterFree);
}
TEST(Memory, AMutexIsFreed) {
  const auto result = plumb_tests::explore_and_replay(
      [](plumb::Program& p) {
        std::atomic<std::mutex*> slot{new std::mutex};
        p.thread([&] { delete slot.exchange(nullptr); });
        p.thread([&] {
          if (auto* mutex = slot.load(); mutex != nullptr) std::scoped_lock lock(*mutex);
        });
        p.check([] { return true; });
      },
      {.order = plumb::SearchOrder::kDepthFirst});
  EXPECT_EQ(result.kind, FindingKind::kUseAfterFree) << result.text();
}

// The body's own: threads are named in a function, and run when that has returned.
OWN_FRAME void name_a_thread(plumb::Program& p) {
  std::array<int, 4> local{7, 7, 7, 7};
  p.thread([&p, &local] { p.require(local[2] == 7, "still there"); });
}
TEST(Stacks, TheBodysOwnFunctionHasReturned) {
  expect_found(
      [](plumb::Program& p) {
        name_a_thread(p);
        p.check([] { return true; });
      },
      FindingKind::kUseAfterFree);
  expect_found(
      [](plumb::Program& p) {
        name_a_thread(p);
        p.run();
      },
      FindingKind::kUseAfterFree);
}

TEST(Stacks, AreNamed) {
  const auto result = plumb::explore(function_has_returned);
  EXPECT_EQ(result.message, "read of a local variable of a function that has returned, in thread 1");
  EXPECT_EQ(plumb::explore(thread_has_ended).message,
            "write of a local variable of thread 1, which has ended");
}

}  // namespace
