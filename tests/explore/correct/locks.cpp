// Locks made of atomics: Peterson, Dekker, ticket, test-and-set, MCS. The counter they guard is plain, so
// that the race detector must see the order they give.
#include <array>
#include <atomic>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;
using plumb_tests::expect_pass_reduced;
using plumb_tests::kDependsOnTheCompiler;

void peterson(plumb::Program& p) {
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<int> turn{0};
  int n = 0;
  for (std::size_t me = 0; me < 2; ++me) {
    p.thread([&, me] {
      wants[me] = true;
      turn = static_cast<int>(1 - me);
      while (wants[1 - me] && turn == static_cast<int>(1 - me)) {
      }
      ++n;
      wants[me] = false;
    });
  }
  p.check([&] { return n == 2; });
}
TEST(Locks, Peterson) { expect_pass(peterson, 40, 2538); }

void dekker(plumb::Program& p) {
  std::array<std::atomic<bool>, 2> wants{};
  std::atomic<std::size_t> turn{0};
  int n = 0;
  for (std::size_t me = 0; me < 2; ++me) {
    p.thread([&, me] {
      wants[me] = true;
      while (wants[1 - me]) {
        if (turn == me) continue;
        wants[me] = false;
        while (turn != me) {
        }
        wants[me] = true;
      }
      ++n;
      turn = 1 - me;
      wants[me] = false;
    });
  }
  p.check([&] { return n == 2; });
}
TEST(Locks, Dekker) { expect_pass(dekker, kDependsOnTheCompiler, kDependsOnTheCompiler); }

void ticket(plumb::Program& p) {
  std::atomic<int> next{0};
  std::atomic<int> serving{0};
  int n = 0;
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      const int mine = next.fetch_add(1, std::memory_order_relaxed);
      while (serving.load(std::memory_order_acquire) != mine) {
      }
      ++n;
      serving.store(mine + 1, std::memory_order_release);
    });
  }
  p.check([&] { return n == 2; });
}
TEST(Locks, Ticket) { expect_pass(ticket, 8, 30); }

void test_and_set(plumb::Program& p) {
  std::atomic_flag flag;
  int n = 0;
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      while (flag.test_and_set(std::memory_order_acquire)) {
      }
      ++n;
      flag.clear(std::memory_order_release);
    });
  }
  p.check([&] { return n == 2; });
}
TEST(Locks, TestAndSet) { expect_pass(test_and_set, 8, 8); }

struct Waiter {
  std::atomic<Waiter*> next{nullptr};
  std::atomic<bool> locked{false};
};
void mcs(plumb::Program& p) {
  std::atomic<Waiter*> tail{nullptr};
  std::array<Waiter, 2> waiters;
  int n = 0;
  for (auto& me : waiters) {
    p.thread([&] {
      Waiter* before = tail.exchange(&me);
      if (before != nullptr) {
        me.locked = true;
        before->next = &me;
        while (me.locked) {
        }
      }
      ++n;
      if (me.next == nullptr) {
        Waiter* expected = &me;
        if (tail.compare_exchange_strong(expected, nullptr)) return;
        while (me.next == nullptr) {
        }
      }
      me.next.load()->locked = false;
    });
  }
  p.check([&] { return n == 2; });
}
TEST(Locks, Mcs) { expect_pass_reduced(mcs, kDependsOnTheCompiler); }

}  // namespace
