// Loops that read the same again and again. What is run must be what an equivalent program without a loop
// shows: one that reads at as many different lines. A loop that waits is cut only where it would do the same
// once more; one that counts its rounds, or looks at a flag between pieces of work, is none of those.
#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "explore/programs.hpp"

namespace {

using plumb::SearchOrder;
using plumb_tests::Body;

using Outcomes = std::vector<int>;

// The distinct outcomes of all executions; `body` gets a place for its own. The list has room beforehand:
// memory made during an execution is gone after it. Below zero: does not count.
template <class F>
Outcomes outcomes(F body, SearchOrder order, plumb::PreemptionBound preemptions = plumb::kAnyPreemptions) {
  Outcomes all;
  all.reserve(1'000'000);
  const auto result = plumb::explore(
      [&](plumb::Program& p) {
        int outcome = 0;
        body(p, outcome);
        if (outcome >= 0) all.push_back(outcome);
      },
      {.order = order, .preemptions = preemptions});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Reads at a line of its own for each number.
template <int kNumber>
[[gnu::noinline]] int read(const std::atomic<int>& from) {
  asm volatile("" ::"i"(kNumber));
  return from.load();
}
template <int... kNumbers, class F>
void unrolled(std::integer_sequence<int, kNumbers...>, const std::atomic<int>& from, F saw) {
  static_cast<void>((saw(read<kNumbers>(from)) && ...));
}

struct Shared {
  std::atomic<int> flag{0};
  std::atomic<int> x{0};
};

// The other thread writes x, the flag, and x again.
void others_work(Shared& shared) {
  shared.x.store(1);
  shared.flag.store(1);
  shared.x.store(2);
}

// Looks at the flag before each of six pieces of work, and at x afterwards: which piece saw it, and which x.
constexpr int kPieces = 6;
void looks_in_a_loop(plumb::Program& p, int& outcome) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    int piece = 0;
    while (piece < kPieces && shared.flag.load() == 0) ++piece;
    outcome = piece * 10 + shared.x.load();
  });
  p.run();
}
void looks_one_by_one(plumb::Program& p, int& outcome) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    int piece = 0;
    unrolled(std::make_integer_sequence<int, kPieces>(), shared.flag, [&](int seen) {
      piece += seen == 0 ? 1 : 0;
      return seen == 0;
    });
    outcome = piece * 10 + shared.x.load();
  });
  p.run();
}
TEST(Spinning, ALoopThatCountsLosesNothing) {
  const Outcomes expected = outcomes(looks_one_by_one, SearchOrder::kDepthFirst);
  EXPECT_TRUE(std::find(expected.begin(), expected.end(), kPieces * 10) != expected.end());
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    EXPECT_EQ(outcomes(looks_in_a_loop, order), expected);
    EXPECT_EQ(outcomes(looks_in_a_loop, order, 3), outcomes(looks_one_by_one, order, 3));
  }
}
// Waits for the flag, however long it takes. Without a loop: five looks, and executions in which that is
// not enough do not count.
void waits(plumb::Program& p, int& outcome) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    while (shared.flag.load() == 0) {
    }
    outcome = shared.x.load();
  });
  p.run();
}
void waits_with_yields(plumb::Program& p, int& outcome) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    while (shared.flag.load() == 0) std::this_thread::yield();
    outcome = shared.x.load();
  });
  p.run();
}
void waits_by_compare_exchange(plumb::Program& p, int& outcome) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    for (int one = 1; !shared.flag.compare_exchange_strong(one, 5); one = 1) {
    }
    outcome = shared.x.load();
  });
  p.run();
}
void waits_one_by_one(plumb::Program& p, int& outcome) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    bool seen = false;
    unrolled(std::make_integer_sequence<int, 5>(), shared.flag, [&](int value) {
      seen = value == 1;
      return !seen;
    });
    outcome = seen ? shared.x.load() : -1;
  });
  p.run();
}
TEST(Spinning, ALoopThatWaitsLosesNothing) {
  const Outcomes expected = outcomes(waits_one_by_one, SearchOrder::kDepthFirst);
  EXPECT_EQ(expected, (Outcomes{1, 2}));
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    for (const auto preemptions : {plumb::kAnyPreemptions, plumb::PreemptionBound(2)}) {
      EXPECT_EQ(outcomes(waits, order, preemptions), expected);
      EXPECT_EQ(outcomes(waits_with_yields, order, preemptions), expected);
      EXPECT_EQ(outcomes(waits_by_compare_exchange, order, preemptions), expected);
    }
  }
}

// Looks so often, and gives up.
template <int kLooks>
void gives_up(plumb::Program& p) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    for (int look = 0; look < kLooks && shared.flag.load() == 0;) ++look;
  });
  p.run();
}
template <int kLooks>
void gives_up_after_yields(plumb::Program& p) {
  Shared shared;
  p.thread([&] { others_work(shared); });
  p.thread([&] {
    for (int look = 0; look < kLooks && shared.flag.load() == 0; ++look) std::this_thread::yield();
  });
  p.run();
}
bool is_held_back(Body program, const plumb::ExploreOptions& options = {}) {
  const auto all = plumb::explore(program, options);
  EXPECT_TRUE(all.passed() && all.exhausted) << all.text();
  EXPECT_EQ(all.held_back, all.text().find("--patience") != std::string::npos) << all.text();
  return all.held_back;
}
TEST(Spinning, WhoIsHeldBackIsSaid) {
  EXPECT_TRUE(is_held_back(gives_up<100>));
  EXPECT_TRUE(is_held_back(gives_up<100>, {.order = SearchOrder::kDepthFirst}));
  EXPECT_TRUE(is_held_back(gives_up<100>, {.jobs = 2}));
  EXPECT_TRUE(is_held_back(gives_up_after_yields<20>));
}
TEST(Spinning, NobodyIsHeldBackWhoRepeatsOrGivesUpSoon) {
  EXPECT_FALSE(is_held_back(gives_up<6>));
  EXPECT_FALSE(is_held_back(gives_up<100>, {.patience = 101}));
  EXPECT_FALSE(is_held_back(gives_up_after_yields<3>));
  EXPECT_FALSE(is_held_back([](plumb::Program& p) {
    int outcome = 0;
    waits(p, outcome);
  }));
}

// Two that wait for each other in turn, and a third that reads what they do.
TEST(Spinning, TurnsAreTaken) {
  const auto result = plumb::explore([](plumb::Program& p) {
    std::atomic<int> turn{0};
    int n = 0;
    for (int me = 0; me < 2; ++me) {
      p.thread([&, me] {
        for (int round = 0; round < 2; ++round) {
          while (turn.load() != me) {
          }
          ++n;
          turn.store(1 - me);
        }
      });
    }
    p.check([&] { return n == 4; });
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

// Takes and gives back a lock each time round: it changes something, and has no end where the other is
// never let go. It yields.
TEST(Spinning, ALoopThatYieldsLetsOthersGo) {
  const auto result = plumb::explore([](plumb::Program& p) {
    std::atomic<int> lock{0};
    std::atomic<int> ready{0};
    p.thread([&] { ready.store(1); });
    p.thread([&] {
      for (;;) {
        lock.fetch_add(1);
        const bool done = ready.load() == 1;
        lock.fetch_sub(1);
        if (done) break;
        std::this_thread::yield();
      }
    });
    p.check([&] { return lock == 0; });
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

}  // namespace
