// The stack, watched, with nothing to fall back on: what is forgotten must not matter. Held against the
// definition at every event of short runs, and against the ordinary check on longer ones.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "support/enumerate.hpp"
#include "support/scale.hpp"
#include "support/simulated_run.hpp"
#include "support/told_run.hpp"
#include "watch/online_stack_order.hpp"

namespace plumb::test {
namespace {

const Model& stack() { return *find_model("stack").value(); }

struct StackShape {
  RunShape run;
  std::uint64_t pushes_in_16 = 8;
};

// Different values onto a stack, and off again.
WatchedRun stack_run(const StackShape& shape, Rng& rng) {
  std::vector<Value> items;
  std::int64_t next = 1;
  const auto start = [&](Rng& random) {
    const bool pushes = random.below(16) < shape.pushes_in_16;
    Op op{kNull, pushes ? "push" : "pop", {}, std::nullopt};
    if (pushes) op.args = {Value::small(next++)};
    return op;
  };
  const auto effect = [&](const Op& op) {
    if (!op.args.empty()) return items.push_back(op.args[0]), kNull;
    if (items.empty()) return kNull;
    const Value top = items.back();
    items.pop_back();
    return top;
  };
  return SimulatedRun(shape.run, rng, start, effect).make();
}

// Two pops that are near change what they return, or one finds nothing.
void spoil(WatchedRun& run, Rng& rng) {
  std::vector<Op*> pops;
  for (Op& op : run.script.operations) {
    if (op.args.empty() && op.result) pops.push_back(&op);
  }
  if (pops.size() < 2) return;
  for (std::size_t changes = 1 + rng.below(2); changes > 0; --changes) {
    const std::size_t i = rng.below(pops.size() - 1);
    const std::size_t j = std::min(pops.size() - 1, i + 1 + rng.below(3));
    if (rng.below(4) != 0) {
      std::swap(pops[i]->result, pops[j]->result);
    } else {
      pops[i]->result = kNull;
    }
  }
}

// Some operations never end, if their process does nothing more.
void leave_open(WatchedRun& run, Rng& rng) {
  std::map<std::int64_t, std::size_t> last;
  for (std::size_t i = 0; i < run.script.operations.size(); ++i)
    last[run.script.operations[i].process.small_integer()] = i;
  std::erase_if(run.steps, [&](const auto& step) {
    const bool is_last =
        last[run.script.operations[step.operation].process.small_integer()] == step.operation;
    return step.kind != WatchedRun::kCall && is_last && rng.below(2) == 0;
  });
}

// The first moment from this one on at which the pops that were open then have ended; the end, if there is
// none.
std::size_t pops_ended_from(const WatchedRun& run, std::size_t truth) {
  std::set<std::size_t> open;
  for (std::size_t end = 1; end <= run.steps.size(); ++end) {
    const auto& [kind, i] = run.steps[end - 1];
    if (kind == WatchedRun::kCall && end < truth && run.script.operations[i].args.empty()) open.insert(i);
    if (kind == WatchedRun::kOk || kind == WatchedRun::kFail) open.erase(i);
    if (end >= truth && open.empty()) return end;
  }
  return run.steps.size() + 1;
}

// Due when the pops that were open have ended, and those that were called until then.
::testing::AssertionResult is_right(const WatchedRun& run) {
  const Heard heard = tell_all(run, stack(), online_stack);
  if (!heard.unjudged.empty()) return ::testing::AssertionFailure() << heard.unjudged << "\n" << run.text();
  const std::size_t truth = run.first_impossible(stack());
  const std::size_t latest =
      truth == kNotHeard ? kNotHeard : pops_ended_from(run, pops_ended_from(run, truth));
  if (truth <= heard.at && heard.at <= latest) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "alarm after event " << static_cast<std::int64_t>(heard.at) << ", by the definition after "
         << static_cast<std::int64_t>(truth) << ", due at " << static_cast<std::int64_t>(latest) << "\n"
         << run.text();
}

TEST(OnlineStack, AgreesWithTheDefinitionAtEveryEvent) {
  const std::size_t rounds = scaled(60'000);
  std::size_t impossible = 0;
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    StackShape shape{{2 + seed % 4, seed % 3, 6 + seed % 6, seed % 5 == 0 ? 0.05 : 0.0}, 7 + seed % 4};
    WatchedRun run = stack_run(shape, rng);
    if (seed % 4 != 0) spoil(run, rng);
    if (seed % 7 == 0) leave_open(run, rng);
    ASSERT_TRUE(is_right(run)) << "seed " << seed;
    impossible += run.first_impossible(stack()) != kNotHeard ? 1 : 0;
  }
  EXPECT_GT(impossible, rounds / 5);
  EXPECT_LT(impossible, rounds - rounds / 5);
}

// Values with a push and a pop each, a process for each operation, and the four events of each value at any
// time: much is open at once, which is where several pops are held up together.
WatchedRun random_lives(std::size_t count, std::size_t nearness, Rng& rng) {
  struct Ends {
    std::array<Time, 4> moment;
  };
  std::vector<std::pair<Time, std::pair<std::size_t, std::size_t>>> events;
  for (std::size_t v = 0; v < count; ++v) {
    Time at = static_cast<Time>(rng.below(1000));
    for (std::size_t k = 0; k < 4; ++k) {
      events.push_back({at, {v, k}});
      at += 1 + static_cast<Time>(rng.below(k == 1 ? 1000 : nearness));
    }
    if (rng.below(8) == 0) std::swap(events[4 * v + 1].first, events[4 * v + 2].first);
  }
  std::ranges::sort(events);
  std::vector<Ends> lives(count);
  for (std::size_t at = 0; at < events.size(); ++at)
    lives[events[at].second.first].moment[events[at].second.second] = static_cast<Time>(at);
  Script script;
  for (std::size_t v = 0; v < count; ++v) {
    const auto& [ic, ir, rc, rr] = lives[v].moment;
    script.add(static_cast<int>(2 * v), fmt::format("push({})", v + 1), ic, ir);
    script.add(static_cast<int>(2 * v + 1), fmt::format("pop:{}", v + 1), rc, rr);
  }
  return WatchedRun::of(script.build());
}

TEST(OnlineStack, AgreesWithTheDefinitionWhereMuchIsOpen) {
  const std::size_t rounds = scaled(40'000);
  std::size_t impossible = 0;
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    const WatchedRun run = random_lives(3 + seed % 2, 200 + 200 * (seed % 4), rng);
    ASSERT_TRUE(is_right(run)) << "seed " << seed;
    impossible += run.first_impossible(stack()) != kNotHeard ? 1 : 0;
  }
  EXPECT_GT(impossible, rounds / 20);
  EXPECT_LT(impossible, rounds - rounds / 5);
}

// 2 lies above 1, 3 above 2; 1 is out before the pop of 3 is called, and that of 2 runs on beside.
TEST(OnlineStack, APopThatRunsOnHoldsAnotherUp) {
  Script script;
  script.add(1, "push(1)", 0, 1);
  script.add(1, "push(2)", 2, 3);
  script.add(1, "pop:1", 4, 8);
  script.add(2, "push(3)", 5, 6);
  script.add(3, "pop:2", 7, 11);
  script.add(2, "pop:3", 9, 10);
  const WatchedRun run = WatchedRun::of(script.build());
  EXPECT_EQ(run.first_impossible(stack()), 9U);
  EXPECT_EQ(tell_all(run, stack(), online_stack).at, 12U);
}

TEST(OnlineStack, AValueThatIsOutMayComeAgain) {
  WatchedRun run;
  const auto alone = [&](std::string f, std::vector<Value> args, Value result) {
    run.script.operations.push_back({Value::small(1), std::move(f), std::move(args), result});
    run.steps.push_back({WatchedRun::kCall, run.script.operations.size() - 1});
    run.steps.push_back({WatchedRun::kOk, run.script.operations.size() - 1});
  };
  alone("push", {Value::small(2)}, kNull);
  for (std::size_t i = 0; i < 3; ++i) {
    alone("push", {Value::small(1)}, kNull);
    alone("pop", {}, Value::small(1));
  }
  EXPECT_EQ(tell_all(run, stack(), online_stack).at, kNotHeard);
  alone("pop", {}, Value::small(1));
  EXPECT_EQ(tell_all(run, stack(), online_stack).at, run.steps.size());
  run.script.operations.pop_back();
  run.steps.resize(run.steps.size() - 2);
  alone("push", {Value::small(2)}, kNull);
  EXPECT_EQ(tell_all(run, stack(), online_stack).unjudged, "2 may be inside twice");
}

// Pops that are not waited for: what is said must be right, but not everything is known.
TEST(OnlineStack, APopThatDoesNotReturnIsNotWaitedForForEver) {
  const std::array<OnlineMaker, 3> makers = {
      [](const OnlineSetting& setting) { return online_stack_waiting(setting, 3); },
      [](const OnlineSetting& setting) { return online_stack_waiting(setting, 8); },
      [](const OnlineSetting& setting) { return online_stack_waiting(setting, 14); }};
  const std::size_t rounds = scaled(40'000);
  std::size_t unknown = 0;
  std::size_t alarms = 0;
  std::size_t fine = 0;
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    StackShape shape{{2 + seed % 4, seed / 4 % 3, 7 + seed % 5, seed % 7 < 2 ? 0.1 : 0.0}, 7 + seed / 3 % 4};
    WatchedRun run = stack_run(shape, rng);
    if (seed % 4 == 0) spoil(run, rng);
    leave_open(run, rng);
    const Heard heard = tell_all(run, stack(), makers[seed % makers.size()]);
    if (!heard.unjudged.empty()) {
      ++unknown;
      continue;
    }
    ++(heard.at == kNotHeard ? fine : alarms);
    ASSERT_TRUE(agrees(run, heard, stack(), Due::kAtTheEnd)) << "seed " << seed;
  }
  EXPECT_LT(unknown, rounds / 2);
  EXPECT_GT(alarms, rounds / 20);
  EXPECT_GT(fine, rounds / 3);
}

// The open pop must have taken 2; then 3, which lies above, is in the way.
TEST(OnlineStack, WhatAnOpenPopMustHaveTakenCounts) {
  Script script;
  script.add(1, "push(1)", 0, 1);
  script.add(1, "push(2)", 2, 3);
  script.add(1, "pop:1", 4, 8);
  script.add(2, "push(3)", 5, 6);
  script.add(2, "pop", 7, kNever);
  const WatchedRun run = WatchedRun::of(script.build());
  EXPECT_EQ(run.first_impossible(stack()), 9U);
  EXPECT_EQ(tell_all(run, stack(), online_stack).at, 10U);
}

// Every run of so many operations, all of them returned: values are numbered by call of their push, each pop
// returns one that no other returns, or nothing.
class AllRuns {
 public:
  AllRuns(const Shape& shape, double share, std::uint64_t& count)
      : shape_(shape), share_(share), count_(count) {}

  void extend(std::size_t pushes) {
    if (kinds_.size() == shape_.operations.size()) return give(pushes);
    kinds_.push_back(kPush);
    extend(pushes + 1);
    for (kinds_.back() = 0; static_cast<std::size_t>(kinds_.back()) <= shape_.operations.size() / 2;
         ++kinds_.back()) {
      const int value = kinds_.back();
      if (value == 0 || std::ranges::count(kinds_, value) == 1) extend(pushes);
    }
    kinds_.pop_back();
  }

 private:
  static constexpr int kPush = -1;

  void give(std::size_t pushes) {
    if (std::ranges::any_of(kinds_, [&](int k) { return k > static_cast<int>(pushes); })) return;
    if (!in_sample(count_++, share_) || ::testing::Test::HasFatalFailure()) return;
    Script script;
    std::int64_t next = 1;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const auto& [process, call, ret] = shape_.operations[i];
      const std::string what = kinds_[i] == kPush ? fmt::format("push({})", next++)
                               : kinds_[i] == 0   ? "pop:null"
                                                  : fmt::format("pop:{}", kinds_[i]);
      script.add(process, what, call, ret);
    }
    const WatchedRun run = WatchedRun::of(script.build());
    ASSERT_TRUE(is_right(run));
  }

  const Shape& shape_;
  double share_;
  std::uint64_t& count_;
  std::vector<int> kinds_;
};

TEST(OnlineStack, EveryRunOfAFewOperations) {
  for (std::size_t n = 2; n <= 6; ++n) {
    std::uint64_t count = 0;
    for (const Shape& shape : Shapes::all(n, 4)) {
      if (std::ranges::any_of(shape.operations, [](const Shape::Span& s) { return s.ret == kNever; }))
        continue;
      AllRuns(shape, (n == 6 ? 0.01 : n == 5 ? 0.2 : 1.0) * test_scale(), count).extend(0);
      if (HasFatalFailure()) return;
    }
    RecordProperty("runs", std::to_string(count));
  }
}

bool is_linearizable_up_to(const WatchedRun& run, std::size_t end) {
  return check(run.first(end).build(), stack(), CheckOptions()).value().outcome == Outcome::kHolds;
}

// The last moment before, and the first one not before, at which no pop is open.
std::pair<std::size_t, std::size_t> without_pops_around(const WatchedRun& run, std::size_t at) {
  std::size_t before = 0;
  std::size_t open = 0;
  for (std::size_t end = 1; end <= run.steps.size(); ++end) {
    const auto& [kind, i] = run.steps[end - 1];
    if (run.script.operations[i].args.empty()) open += kind == WatchedRun::kCall ? 1 : -1;
    if (open != 0) continue;
    if (end >= at) return {before, end};
    before = end;
  }
  return {before, run.steps.size()};
}

// Runs that are too long for an exhaustive search.
TEST(OnlineStackLong, AgreesWithTheCheck) {
  const std::size_t rounds = scaled(600);
  std::size_t alarms = 0;
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    StackShape shape{{3 + seed % 6, seed % 4, 40 + seed % 160}, 6 + seed % 5};
    WatchedRun run = stack_run(shape, rng);
    if (seed % 3 != 0) spoil(run, rng);
    const Heard heard = tell_all(run, stack(), online_stack);
    ASSERT_EQ(heard.unjudged, "");
    const bool ends_well = heard.at == kNotHeard;
    alarms += ends_well ? 0 : 1;
    ASSERT_EQ(is_linearizable_up_to(run, run.steps.size()), ends_well) << "seed " << seed << "\n"
                                                                       << run.text();
    if (ends_well) continue;
    const auto [before, after] = without_pops_around(run, heard.at);
    ASSERT_TRUE(is_linearizable_up_to(run, before)) << "seed " << seed << "\n" << run.text();
    ASSERT_FALSE(is_linearizable_up_to(run, after)) << "seed " << seed << "\n" << run.text();
  }
  EXPECT_GT(alarms, rounds / 5);
  EXPECT_LT(alarms, rounds - rounds / 5);
}

}  // namespace
}  // namespace plumb::test
