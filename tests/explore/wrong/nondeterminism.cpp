// Tests that are not deterministic: what decides is not the order of steps but a counter outside,
// the processor's clock, an address. The report names the first step that differed, what it was
// before and what it is now.
#include <x86intrin.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>

#include "explore/programs.hpp"

extern "C" char* __strdup(const char* string);

namespace {

using plumb::FindingKind;
using plumb::SearchOrder;

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two threads that add to one of two counters; `second` says which, anew in each execution.
std::function<bool()> g_second;
constexpr int kFirst = __LINE__ + 9;  // where they do
constexpr int kSecond = kFirst + 2;
void adds_to_one(plumb::Program& p) {
  static std::atomic<int> a;
  static std::atomic<int> b;
  const bool second = g_second();
  for (int i = 0; i < 2; ++i) {
    p.thread([=] {
      if (second) {
        b.store(1);
      } else {
        a.fetch_add(1);
      }
    });
  }
  p.check([] { return a + b == 2 || b == 1; });
}

void expect_told(const std::function<bool()>& second) {
  g_second = second;
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    for (const auto preemptions : {plumb::kAnyPreemptions, plumb::PreemptionBound(2)}) {
      const auto result = plumb::explore(adds_to_one, {.order = order, .preemptions = preemptions});
      EXPECT_EQ(result.kind, FindingKind::kNondeterministic) << result.text();
      // The program waits, and each thread comes to its store: the first that does is the first that differs.
      EXPECT_TRUE(holds(result.message, "in step 2 thread 1 reaches ")) << result.text();
      ASSERT_EQ(result.evidence.size(), 2U) << result.text();
      const bool stored = holds(result.evidence[0].what, "store");
      EXPECT_EQ(result.evidence[0].what, stored ? "before: thread 1 store b" : "before: thread 1 modify a");
      EXPECT_EQ(result.evidence[1].what, stored ? "now: thread 1 modify a" : "now: thread 1 store b");
      for (const std::size_t i : {0U, 1U}) {
        ASSERT_FALSE(result.evidence[i].places.empty());
        EXPECT_EQ(result.evidence[i].places[0].line, stored == (i == 0) ? kFirst : kSecond);
      }
      EXPECT_TRUE(holds(result.message, "(nondeterminism.cpp:" + std::to_string(kSecond) + ")"))
          << result.text();
    }
  }
}

TEST(Nondeterminism, ACounterOutside) {
  int runs = 0;
  expect_told([&] { return ++runs % 2 == 1; });
}

// The clock of the processor is read by an instruction that nobody sees. Here it is read until it is as odd
// as it was even the last time: so that the search meets another answer soon.
TEST(Nondeterminism, TheClockOfTheProcessor) {
  bool last = false;
  expect_told([&] {
    const auto odd = [] { return __rdtsc() / 64 % 2 == 1; };
    while (odd() == last) {
    }
    return last = !last;
  });
}

// Memory that the C library makes for itself is not the arena's: where it lies depends on all that was done
// before. (By its own name for strdup(), which is the program's.)
TEST(Nondeterminism, AnAddress) {
  bool last = false;
  expect_told([&] {
    const auto odd = [] {
      return reinterpret_cast<std::uintptr_t>(__strdup("sixteen letters!")) / 32 % 2 == 1;
    };
    while (odd() == last) {
    }
    return last = !last;
  });
}

// One of the threads ends where it took a step before.
TEST(Nondeterminism, AThreadThatEnds) {
  int runs = 0;
  int& outside = runs;
  const auto result = plumb::explore([&](plumb::Program& p) {
    std::atomic<int> n{0};
    const bool odd = ++outside % 2 == 1;
    p.thread([&] { n.fetch_add(1); });
    p.thread([&, odd] {
      if (odd) n.fetch_add(1);
    });
    p.thread([&] { n.fetch_add(1); });
    p.check([] { return true; });
  });
  EXPECT_EQ(result.kind, FindingKind::kNondeterministic) << result.text();
  EXPECT_TRUE(holds(result.message, "thread 2 ends") && holds(result.message, "thread 2 reaches modify"))
      << result.text();
}

// There was a choice, and now there is none at all.
TEST(Nondeterminism, AllThreadsEnd) {
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    for (const auto preemptions : {plumb::kAnyPreemptions, plumb::PreemptionBound(2)}) {
      int runs = 0;
      int& outside = runs;
      const auto result = plumb::explore(
          [&](plumb::Program& p) {
            std::atomic<int> n{0};
            const bool even = ++outside % 2 == 0;
            for (int i = 0; i < 2; ++i) {
              p.thread([&, even] {
                if (even) n.fetch_add(1);
              });
            }
            p.check([&] { return n >= 0; });
          },
          {.order = order, .preemptions = preemptions});
      EXPECT_EQ(result.kind, FindingKind::kNondeterministic) << result.text();
      EXPECT_TRUE(holds(result.message, "thread 1 ends; before, thread 1 reaches modify")) << result.text();
    }
  }
}

TEST(Nondeterminism, InSeveralProcesses) {
  int runs = 0;
  g_second = [&] { return ++runs % 2 == 1; };
  const auto result = plumb::explore(adds_to_one, {.jobs = 2});
  EXPECT_EQ(result.kind, FindingKind::kNondeterministic) << result.text();
  EXPECT_TRUE(holds(result.message, "in step 2 thread 1 reaches ")) << result.text();
}

// So many threads, of which the last one must not be the first.
plumb::Exploration last_comes_first(int threads, const std::string& token) {
  return plumb::explore(
      [=](plumb::Program& p) {
        std::atomic<int> first{0};
        for (int i = 1; i <= threads; ++i) {
          p.thread([&first, i] {
            int none = 0;
            first.compare_exchange_strong(none, i);
          });
        }
        p.check([&] { return first < 3 || first != threads; });
      },
      {.order = SearchOrder::kDepthFirst, .replay = token});
}

// The token of another program of the same build: one that cannot be followed, and one that has more choices.
TEST(Nondeterminism, ATokenThatDoesNotFit) {
  const auto found = last_comes_first(3, "");
  ASSERT_EQ(found.kind, FindingKind::kCheck) << found.text();
  const auto result = last_comes_first(2, found.replay);
  EXPECT_EQ(result.kind, FindingKind::kNondeterministic) << result.text();
  EXPECT_TRUE(holds(result.message, "the schedule does not fit: at choice 1")) << result.text();
  const auto less = last_comes_first(1, found.replay);
  EXPECT_EQ(less.kind, FindingKind::kNondeterministic) << less.text();
}

// Wrong in the very first execution only, which is there to warm up: it is told all the same.
TEST(Nondeterminism, OnlyTheFirstExecutionFails) {
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kRandom}) {
    int runs = 0;
    int& outside = runs;
    const auto result = plumb::explore(
        [&](plumb::Program& p) {
          std::atomic<int> n{0};
          const bool first = ++outside == 1;
          p.thread([&] { n.fetch_add(1); });
          p.thread([&, first] { p.require(n.fetch_add(1) < 2 && !first, "not the first"); });
          p.check([] { return true; });
        },
        {.order = order, .executions = 100});
    EXPECT_EQ(result.kind, FindingKind::kCheck) << result.text();
    EXPECT_EQ(result.verdict, plumb::Outcome::kViolation);
    EXPECT_TRUE(holds(result.message, "not the first (in the first execution only")) << result.text();
    EXPECT_FALSE(result.exhausted);
  }
}

// Wrong in the execution that warms up, and whenever its choices are made again; a random
// search need not make them.
TEST(Nondeterminism, TheFirstExecutionFailsAgain) {
  const auto program = [](plumb::Program& p) {
    std::atomic<int> n{0};
    for (int i = 0; i < 12; ++i) p.thread([&, i] { p.require(n.fetch_add(1) != i || i < 11, "in order"); });
    p.check([] { return true; });
  };
  const auto result = plumb::explore(program, {.order = SearchOrder::kRandom, .executions = 1});
  EXPECT_EQ(result.kind, FindingKind::kCheck) << result.text();
  EXPECT_EQ(result.message, "in order");
  EXPECT_EQ(plumb::explore(program, {.replay = result.replay}).kind, FindingKind::kCheck);
}

}  // namespace
