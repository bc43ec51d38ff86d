// Programs that end themselves: crash, assert, abort, exceptions; misuse. The process and its other tests
// live on.
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <stdexcept>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

// Fails in some orders only: when the second thread comes first.
template <class F>
void in_one_order(plumb::Program& p, F fault) {
  std::atomic<int> first{0};
  p.thread([&] {
    int none = 0;
    first.compare_exchange_strong(none, 1);
  });
  p.thread([&] {
    int none = 0;
    if (first.compare_exchange_strong(none, 2)) fault();
  });
  p.check([] { return true; });
}

void throws() { throw std::runtime_error("no"); }

TEST(Ends, Crash) {
  expect_found([](plumb::Program& p) { in_one_order(p, [] { *static_cast<volatile int*>(nullptr) = 1; }); },
               FindingKind::kCrash);
}
TEST(Ends, CompareExchangeAtNoAddress) {
  expect_found(
      [](plumb::Program& p) {
        in_one_order(p, [] {
          int none = 0;
          std::atomic<int>* volatile nowhere = nullptr;
          nowhere->compare_exchange_strong(none, 1);
        });
      },
      FindingKind::kCrash);
}
TEST(Ends, StackOverflow) {
  struct Recursion {
    static int deep(volatile int* n) {
      volatile char room[4096] = {};
      room[0] = static_cast<char>(*n);
      *n = *n + 1;
      return *n > 1'000'000'000 ? 0 : deep(n) + room[0];
    }
  };
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    std::atomic<int> a{0};
    p.thread([&] {
      a = 1;
      volatile int n = 0;
      a = Recursion::deep(&n);
    });
    p.check([] { return true; });
  });
  EXPECT_EQ(result.kind, FindingKind::kCrash) << result.text();
  EXPECT_TRUE(result.message.starts_with("stack overflow: the stack of thread 1 has ")) << result.message;
}
TEST(Ends, Assert) {
  expect_found([](plumb::Program& p) { in_one_order(p, [] { assert(1 + 1 == 3); }); }, FindingKind::kAssert);
}
TEST(Ends, Abort) {
  expect_found([](plumb::Program& p) { in_one_order(p, [] { std::abort(); }); }, FindingKind::kAbort);
}
TEST(Ends, Exception) {
  expect_found([](plumb::Program& p) { in_one_order(p, throws); }, FindingKind::kException);
}
TEST(Ends, ExceptionOutOfNoexcept) {
  expect_found([](plumb::Program& p) { in_one_order(p, []() noexcept { throws(); }); }, FindingKind::kAbort);
}

TEST(Ends, ThreadsThatNeverRun) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) { p.thread([] {}); });
  EXPECT_EQ(result.kind, FindingKind::kMisuse) << result.text();
}

}  // namespace
