// Orders of search other than the exhaustive one, and what is said of what was found.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <atomic>
#include <string>

#include "explore/search_parts.hpp"
#include "explore/weak/mutated.hpp"

namespace {

using mutated::kAcquire;
using mutated::kRelaxed;
using mutated::kRelease;

plumb::ExploreOptions rc11() { return {.memory_model = plumb::MemoryModel::kRc11}; }

TEST(WeakBound, FindsWithFewOlderValuesAndNeverPasses) {
  auto options = rc11();
  options.suggest_orders = false;
  options.older_values = 1;
  const auto little = plumb::explore(&mutated::chase_lev<2>, options);
  EXPECT_EQ(little.verdict, plumb::Outcome::kUnknown) << little.text();
  EXPECT_EQ(little.ended_by, plumb::SearchEnd::kOlderValues);
  EXPECT_FALSE(little.exhausted);
  options.older_values = 3;
  const auto found = plumb::explore(&mutated::chase_lev<2>, options);
  EXPECT_EQ(found.message, "taken twice");
  EXPECT_LT(found.executions, plumb::explore(&mutated::chase_lev<2>, rc11()).executions);
  const auto within = plumb::explore(&mutated::michael_scott<0>, options);
  EXPECT_EQ(within.verdict, plumb::Outcome::kUnknown) << within.text();
  EXPECT_LT(within.executions, 222U);
}

// A bound that leaves nothing out is none.
TEST(WeakBound, ALargeOneIsTheWholeSearch) {
  auto options = rc11();
  options.older_values = 100;
  const auto all = plumb::explore(&mutated::michael_scott<0>, options);
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, 222U);
}

TEST(WeakBound, HasNoMeaningElsewhere) {
  plumb::ExploreOptions options;
  options.older_values = 1;
  EXPECT_EQ(plumb::explore(&mutated::treiber<0>, options).kind, plumb::FindingKind::kBadOptions);
  options = rc11();
  options.older_values = 1;
  options.order = plumb::SearchOrder::kRandom;
  EXPECT_EQ(plumb::explore(&mutated::treiber<0>, options).kind, plumb::FindingKind::kBadOptions);
}

// Variables on stacks that are none of the fibers'.
TEST(WeakOnRealThreads, IsTheSame) {
  auto options = rc11();
  options.real_threads = true;
  const auto all = plumb::explore(&mutated::michael_scott<0>, options);
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, 222U);
}

// Three threads add to two variables, a fourth looks.
void adds(plumb::Program& p) {
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  for (int thread = 0; thread < 3; ++thread) {
    p.thread([&, thread] {
      for (int i = 0; i < 2; ++i) ((thread + i) % 2 == 0 ? x : y).fetch_add(1, kRelaxed);
    });
  }
  int seen = 0;
  p.thread([&] { seen = 10 * x.load(kRelaxed) + y.load(kRelaxed); });
  p.run();
  p.observe(std::to_string(seen));
}

// The same as by one process: counts, outcomes, and what is found first.
void expect_the_same_with_jobs(void (*program)(plumb::Program&)) {
  const auto alone = plumb::explore(program, rc11());
  plumb::engine::share_out_at_once(true);
  for (const unsigned jobs : {2U, 3U}) {
    auto options = rc11();
    options.jobs = jobs;
    const std::uint64_t before = plumb::engine::parts_handed_over();
    const auto together = plumb::explore(program, options);
    EXPECT_GT(plumb::engine::parts_handed_over(), before);
    EXPECT_EQ(together.verdict, alone.verdict) << together.text();
    EXPECT_EQ(together.executions, alone.executions);
    EXPECT_EQ(together.pruned, alone.pruned);
    EXPECT_EQ(together.steps, alone.steps);
    EXPECT_EQ(together.outcomes, alone.outcomes);
    EXPECT_EQ(together.message, alone.message);
    EXPECT_EQ(together.replay, alone.replay);
    EXPECT_EQ(together.trace.size(), alone.trace.size());
  }
  plumb::engine::share_out_at_once(false);
}

TEST(WeakJobs, CountAndFindWhatOneProcessDoes) {
  expect_the_same_with_jobs(&adds);
  expect_the_same_with_jobs(&mutated::michael_scott_enqueues<0>);
  expect_the_same_with_jobs(&mutated::michael_scott_enqueues<4>);
  expect_the_same_with_jobs(&mutated::chase_lev<2>);
  expect_the_same_with_jobs(&mutated::peterson<0>);
}

TEST(WeakJobs, ALimitEndsAsUnknown) {
  auto options = rc11();
  options.jobs = 2;
  options.executions = 3'000;
  const auto cut = plumb::explore(&mutated::michael_scott_enqueues<0>, options);
  EXPECT_EQ(cut.verdict, plumb::Outcome::kUnknown) << cut.text();
  EXPECT_EQ(cut.ended_by, plumb::SearchEnd::kExecutions);
  EXPECT_FALSE(cut.exhausted);
}

template <std::memory_order kStore, std::memory_order kLoad>
void message_passing(plumb::Program& p) {
  std::atomic<int> data{0};
  std::atomic<int> flag{0};
  p.thread([&] {
    data.store(1, kRelaxed);
    flag.store(1, kStore);
  });
  p.thread([&] {
    if (flag.load(kLoad) == 1) p.require(data.load(kRelaxed) == 1, "the data is old");
  });
  p.run();
}

std::string note_of_last_load(const plumb::Exploration& result) {
  return result.trace.empty() ? "" : result.trace.back().note;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(WeakTraces, SayWhyAnOlderValueWasRead) {
  const auto relaxed_load = plumb::explore(&message_passing<kRelease, kRelaxed>, rc11());
  const std::string load = note_of_last_load(relaxed_load);
  EXPECT_TRUE(has(load, "an older value, the initial one: thread 1 stored 1 before (searches.cpp:")) << load;
  EXPECT_TRUE(has(load, "does not synchronise, that load would have to acquire")) << load;
  const auto relaxed_store = plumb::explore(&message_passing<kRelaxed, kAcquire>, rc11());
  const std::string store = note_of_last_load(relaxed_store);
  EXPECT_TRUE(has(store, "does not synchronise, that store would have to release")) << store;
  const auto neither = plumb::explore(&message_passing<kRelaxed, kRelaxed>, rc11());
  const std::string both = note_of_last_load(neither);
  EXPECT_TRUE(has(both, "they would have to acquire and release")) << both;
  EXPECT_TRUE(has(relaxed_load.text(), "[" + load + "]\n")) << relaxed_load.text();
}

TEST(WeakTraces, ShowWhatSynchronises) {
  const auto found = plumb::explore(
      [](plumb::Program& p) {
        std::atomic<int> flag{0};
        p.thread([&] { flag.store(1, kRelease); });
        p.thread([&] { p.require(flag.load(kAcquire) == 0, "seen"); });
        p.run();
      },
      rc11());
  EXPECT_TRUE(has(note_of_last_load(found), "synchronises with thread 1 (searches.cpp:")) << found.text();
}

TEST(WeakSuggestions, NameTheOrderThatIsEnough) {
  const auto load = plumb::explore(&message_passing<kRelease, kRelaxed>, rc11()).suggestion;
  EXPECT_TRUE(has(load, "memory_order_acquire instead of relaxed for the load at searches.cpp:")) << load;
  EXPECT_TRUE(has(load, " is enough")) << load;
  const auto store = plumb::explore(&message_passing<kRelaxed, kAcquire>, rc11()).suggestion;
  EXPECT_TRUE(has(store, "memory_order_release instead of relaxed for the store at searches.cpp:")) << store;
  const auto both = plumb::explore(&message_passing<kRelaxed, kRelaxed>, rc11()).suggestion;
  EXPECT_TRUE(has(both, "memory_order_release instead of relaxed for the store")) << both;
  EXPECT_TRUE(has(both, "memory_order_acquire instead of relaxed for the load")) << both;
  EXPECT_TRUE(has(both, " together are enough")) << both;
  const auto fence = plumb::explore(&mutated::chase_lev<5>, rc11()).suggestion;
  EXPECT_TRUE(has(fence, "memory_order_seq_cst instead of acq_rel for the fence at mutated.hpp:")) << fence;
}

TEST(WeakSuggestions, SayWhereNoOrderHelps) {
  const auto found = plumb::explore(
      [](plumb::Program& p) {
        std::atomic<int> count{0};
        for (int thread = 0; thread < 2; ++thread)
          p.thread([&] { count.store(count.load(kRelaxed) + 1, kRelaxed); });
        p.run();
        p.require(count.load() == 2, "lost");
      },
      rc11());
  EXPECT_TRUE(has(found.suggestion, "No memory order in this execution helps")) << found.text();
}

// What is suggested is tried again by other means: by lines.
TEST(WeakSuggestions, CanBeTried) {
  for (const auto program : {&message_passing<kRelease, kRelaxed>, &message_passing<kRelaxed, kAcquire>,
                             &message_passing<kRelaxed, kRelaxed>, &mutated::chase_lev<5>}) {
    const auto found = plumb::explore(program, rc11());
    ASSERT_FALSE(found.suggested_orders.empty()) << found.text();
    auto options = rc11();
    options.orders = found.suggested_orders;
    const auto repaired = plumb::explore(program, options);
    EXPECT_TRUE(repaired.passed()) << repaired.text();
    EXPECT_TRUE(repaired.exhausted);
    EXPECT_EQ(repaired.orders_met, (std::uint64_t{1} << options.orders.size()) - 1);
  }
}

// The same number of executions as where the program itself says the order.
TEST(OtherOrders, AreAsIfTheProgramSaidThem) {
  const auto lines = plumb::explore(&message_passing<kRelaxed, kRelaxed>, rc11()).suggested_orders;
  ASSERT_EQ(lines.size(), 2U);
  auto options = rc11();
  options.orders = lines;
  for (auto& each : options.orders) {
    each.order = kRelaxed;
    each.instead_of.reset();
  }
  const auto weakened = plumb::explore(&message_passing<kRelease, kAcquire>, options);
  const auto weak = plumb::explore(&message_passing<kRelaxed, kRelaxed>, rc11());
  EXPECT_EQ(weakened.kind, weak.kind) << weakened.text();
  EXPECT_EQ(weakened.executions, weak.executions);
  EXPECT_FALSE(weakened.passed());
  options.replay = weakened.replay;
  const auto again = plumb::explore(&message_passing<kRelease, kAcquire>, options);
  EXPECT_EQ(again.kind, weakened.kind) << again.text();
  EXPECT_TRUE(has(again.text(), "(relaxed)")) << again.text();
  EXPECT_FALSE(has(again.text(), "(acquire)")) << again.text();
}

// Only where the program says what is to be replaced; files by the end of their path, and no more than that.
TEST(OtherOrders, AreThoseOfTheirLine) {
  const auto lines = plumb::explore(&message_passing<kRelaxed, kAcquire>, rc11()).suggested_orders;
  ASSERT_EQ(lines.size(), 1U);
  const auto met = [&](const plumb::OrderChange& change) {
    auto options = rc11();
    options.orders = {change};
    return plumb::explore(&message_passing<kRelaxed, kAcquire>, options).orders_met != 0;
  };
  plumb::OrderChange change = lines.front();
  EXPECT_TRUE(met(change));
  change.file = "weak/searches.cpp";
  EXPECT_TRUE(met(change));
  change.file = "earches.cpp";
  EXPECT_FALSE(met(change));
  change.file = "searches.cpp";
  change.instead_of = std::memory_order_seq_cst;
  EXPECT_FALSE(met(change));
  change.instead_of.reset();
  EXPECT_TRUE(met(change));
  change.kind = plumb::AccessKind::kLoad;
  EXPECT_FALSE(met(change));
}

TEST(OtherOrders, AreAtMostSoMany) {
  auto options = rc11();
  options.orders.resize(65, {.file = "searches.cpp", .line = 1});
  const auto result = plumb::explore(&message_passing<kRelaxed, kAcquire>, options);
  EXPECT_EQ(result.kind, plumb::FindingKind::kBadOptions) << result.text();
}

TEST(WeakSuggestions, CanBeTurnedOff) {
  auto options = rc11();
  options.suggest_orders = false;
  EXPECT_EQ(plumb::explore(&message_passing<kRelaxed, kRelaxed>, options).suggestion, "");
}

}  // namespace
