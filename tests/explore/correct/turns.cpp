// Loops that wait, each in a way that only an unfair schedule keeps from what it waits for: they read many places, or change something
// each time round. No engine may call them a livelock; what never ends even if all get their turns is one.
#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb::MemoryModel;
using plumb::SearchOrder;

// Looks for the one of `kPlaces` places that another thread sets.
template <int kPlaces>
void looks_around(plumb::Program& program) {
  std::array<std::atomic<int>, kPlaces> places{};
  int found = 0;
  program.thread([&] {
    int at = 0;
    while (places[static_cast<std::size_t>(at)].load(std::memory_order_relaxed) == 0) at = (at + 1) % kPlaces;
    found = at;
  });
  program.thread([&] { places.back().store(1, std::memory_order_relaxed); });
  program.check([&] { return found == kPlaces - 1; });
}

// The same in a list, from its beginning each time.
void looks_through_a_list(plumb::Program& program) {
  struct Node {
    std::atomic<int> value{0};
    Node* next = nullptr;
  };
  std::vector<Node> nodes(40);
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) nodes[i].next = &nodes[i + 1];
  bool found = false;
  program.thread([&] {
    while (!found) {
      for (const Node* node = nodes.data(); node != nullptr && !found; node = node->next)
        found = node->value.load(std::memory_order_acquire) != 0;
    }
  });
  program.thread([&] { nodes[7].value.store(1, std::memory_order_release); });
  program.check([&] { return found; });
}

// A reader adds itself to the lock, and takes itself back while a writer is in: as folly's RWSpinLock does.
void reads_under_a_lock(plumb::Program& program) {
  constexpr unsigned kWriter = 1U << 31U;
  std::atomic<unsigned> lock{0};
  int data = 0;
  int seen = 0;
  program.thread([&] {
    unsigned nobody = 0;
    while (!lock.compare_exchange_strong(nobody, kWriter)) nobody = 0;
    data = 1;
    lock.fetch_sub(kWriter);
  });
  program.thread([&] {
    while ((lock.fetch_add(1) & kWriter) != 0) lock.fetch_sub(1);
    seen = data;
    lock.fetch_sub(1);
  });
  program.check([&] { return seen == 0 || seen == 1; });
}

void counts_its_rounds(plumb::Program& program) {
  std::atomic<bool> ready{false};
  std::atomic<long> rounds{0};
  program.thread([&] {
    while (!ready.load(std::memory_order_acquire)) rounds.fetch_add(1, std::memory_order_relaxed);
  });
  program.thread([&] { ready.store(true, std::memory_order_release); });
  program.check([] { return true; });
}

// What it keeps is another thing each time.
void tells_that_it_is_alive(plumb::Program& program) {
  std::atomic<bool> ready{false};
  std::atomic<long> beat{0};
  program.thread([&] {
    long count = 0;
    while (!ready.load(std::memory_order_acquire)) beat.store(++count, std::memory_order_relaxed);
  });
  program.thread([&] { ready.store(true, std::memory_order_release); });
  program.check([] { return true; });
}

void expect_no_violation(plumb_tests::Body program, std::optional<bool> is_held_back = std::nullopt) {
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst, SearchOrder::kStates}) {
    const auto all = plumb::explore(program, {.order = order, .preemptions = plumb::kAnyPreemptions});
    EXPECT_TRUE(all.passed() && all.exhausted) << all.text();
    if (is_held_back && order != SearchOrder::kStates) EXPECT_EQ(all.held_back, *is_held_back) << all.text();
  }
  const auto some = plumb::explore(program, {.order = SearchOrder::kRandom, .executions = 50});
  EXPECT_NE(some.verdict, plumb::Outcome::kViolation) << some.text();
  const auto weak = plumb::explore(program, {.memory_model = MemoryModel::kRc11});
  EXPECT_TRUE(weak.passed() && weak.exhausted) << weak.text();
}

TEST(Turns, LoopsThatReadManyPlaces) {
  expect_no_violation(&looks_around<16>, false);
  expect_no_violation(&looks_around<17>, false);
  expect_no_violation(&looks_around<64>, false);
  expect_no_violation(&looks_through_a_list);  // it may count, as compilers make it
}
TEST(Turns, ALoopThatReadsMorePlacesThanAreFollowedIsNoViolation) {
  const auto all = plumb::explore(&looks_around<5000>);
  EXPECT_TRUE(all.refused) << all.message;
  EXPECT_NE(all.message.find("4096 places"), std::string::npos) << all.message;
}
TEST(Turns, LoopsThatChangeSomething) {
  expect_no_violation(&reads_under_a_lock, true);
  expect_no_violation(&counts_its_rounds, true);
  expect_no_violation(&tells_that_it_is_alive, true);
}
// It waits for nobody: whoever looks may see it at each of its rounds.
void takes_one_after_the_other(plumb::Program& program) {
  std::atomic<int> next{0};
  int seen = 0;
  program.thread([&] {
    while (next.fetch_add(1) < 6) {
    }
  });
  program.thread([&] { seen = next.load(); });
  program.check([] { return true; });
  program.observe(std::to_string(seen));
}
TEST(Turns, WhoTakesWhatIsThereOneAfterTheOtherIsNotHeldBack) {
  for (const MemoryModel model : {MemoryModel::kSequential, MemoryModel::kRc11}) {
    const auto all = plumb::explore(&takes_one_after_the_other,
                                    {.memory_model = model, .preemptions = plumb::kAnyPreemptions});
    EXPECT_TRUE(all.passed() && all.exhausted && !all.held_back) << all.text();
    EXPECT_EQ(all.outcomes.size(), 8U) << all.text();  // 0 to 7
  }
}
// Two readers that wait for the writer do not release each other for ever.
TEST(Turns, SeveralThatWait) {
  const auto all = plumb::explore(
      [](plumb::Program& program) {
        std::atomic<bool> ready{false};
        std::atomic<long> rounds{0};
        for (int thread = 0; thread < 2; ++thread) {
          program.thread([&] {
            while (!ready.load()) rounds.fetch_add(1);
          });
        }
        program.thread([&] { ready.store(true); });
        program.check([] { return true; });
      },
      {.order = SearchOrder::kReduced, .preemptions = 3});
  EXPECT_TRUE(all.passed()) << all.text();
}

// Both give way, in step, for ever: no schedule that is fair keeps them from it.
void gives_way(plumb::Program& program) {
  std::array<std::atomic<int>, 2> wants{};
  for (const std::size_t me : {0U, 1U}) {
    program.thread([&, me] {
      for (;;) {
        wants[me].store(1);
        if (wants[1 - me].load() == 0) break;
        wants[me].store(0);
      }
      wants[me].store(0);
    });
  }
  program.check([] { return true; });
}
TEST(Turns, WhatNeverEndsThoughAllGetTheirsIsALivelock) {
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    const auto result = plumb_tests::explore_and_replay(
        &gives_way, {.order = order, .preemptions = plumb::kAnyPreemptions, .steps = 1000});
    EXPECT_EQ(result.kind, FindingKind::kLivelock) << result.text();
  }
}

// For ever, whoever runs.
void never_ends(plumb::Program& program) {
  std::atomic<long> rounds{0};
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      for (;;) rounds.fetch_add(1);
    });
  }
  program.check([] { return true; });
}
TEST(Turns, ALoopThatNothingEndsIsALivelock) {
  const auto result = plumb_tests::explore_and_replay(&never_ends, {.steps = 1000});
  EXPECT_EQ(result.kind, FindingKind::kLivelock) << result.text();
  const auto weak = plumb::explore(&never_ends, {.memory_model = MemoryModel::kRc11, .steps = 1000});
  EXPECT_FALSE(weak.passed()) << weak.text();
}

}  // namespace
