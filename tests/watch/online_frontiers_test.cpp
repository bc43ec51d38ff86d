// Values that repeat, watched: the monitors by frontiers against the definition, at every event. They are told everything from
// the start, also what the monitors for different values would have judged before them.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "spec/models.hpp"
#include "support/enumerate.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/watched_run.hpp"
#include "watch/online.hpp"

namespace plumb::test {
namespace {

struct Collection {
  std::string_view model;
  OnlineMaker make;
  std::string_view inserts;
  std::string_view removes;
};

constexpr std::array kCollections = {
    Collection{"queue", online_frontiers_queue, "enqueue", "dequeue"},
    Collection{"stack", online_frontiers_stack, "push", "pop"},
    Collection{"priority-queue", online_frontiers_priority_queue, "insert", "extract_min"},
};

const Model& model_of(const Collection& collection) { return *find_model(collection.model).value(); }

// The run as a monitor is told it.
std::vector<OnlineEvent> events_of(const WatchedRun& run, const Model& model) {
  std::vector<OnlineOp> ops(run.script.operations.size());
  std::vector<OnlineEvent> events;
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    const auto [kind, i] = run.steps[at];
    const Op& op = run.script.operations[i];
    const Moment now = at + 1;
    if (kind == WatchedRun::kCall) {
      ops[i].operation = *find_operation(model, op.f);
      ops[i].role = model.operations()[ops[i].operation].role;
      ops[i].process = op.process;
      ops[i].args.assign(op.args.begin(), op.args.end());
      ops[i].called = now;
    }
    constexpr std::array kKinds = {OnlineEvent::kCall, OnlineEvent::kReturn, OnlineEvent::kFail,
                                   OnlineEvent::kLose};
    events.push_back(
        {kKinds[kind], kind == WatchedRun::kOk ? op.result.value_or(kNull) : kNull, now, ops[i]});
  }
  return events;
}

// What the monitor alone says, without others to fall back on, from this event on.
Heard hear(OnlineMonitor& monitor, std::span<const OnlineEvent> events, std::size_t from = 0) {
  for (std::size_t at = from; at < events.size(); ++at) {
    const OnlineAnswer answer = tell(monitor, events[at]);
    if (answer == OnlineAnswer::kCannotJudge) return {at + 1, monitor.why_not()};
    if (answer == OnlineAnswer::kViolation) return {at + 1, ""};
  }
  return {};
}
Heard hear(const WatchedRun& run, const Collection& collection) {
  const Model& model = model_of(collection);
  return hear(*collection.make({&model, run.script.values, run.script.initial}), events_of(run, model));
}

::testing::AssertionResult agrees(const WatchedRun& run, const Collection& collection) {
  return test::agrees(run, hear(run, collection), model_of(collection), Due::kAtOnce);
}

class OnlineFrontiers : public ::testing::TestWithParam<Collection> {};

TEST_P(OnlineFrontiers, AgreesWithTheDefinitionAtEveryEvent) {
  const Model& model = model_of(GetParam());
  std::size_t tried = 0;
  std::size_t wrong = 0;
  for (const std::uint64_t seed : Seeds(scaled(40'000))) {
    Rng rng(seed);
    RandomShape shape;
    shape.processes = 2 + seed % 4;
    shape.operations = 4 + seed % 7;
    shape.crash = seed % 3 == 0 ? 0.15 : 0.0;
    Script script = RandomHistory(model, shape, seed).make();
    // Few values, so that many are inside twice.
    const auto values = static_cast<std::int64_t>(1 + seed % 3);
    for (Op& op : script.operations) {
      for (Value& arg : op.args) arg = Value::small(arg.is_small() ? arg.small_integer() % values : 0);
      if (op.result && op.result->is_small()) op.result = Value::small(op.result->small_integer() % values);
    }
    const auto history = script.try_build();
    if (!history) continue;
    WatchedRun run = WatchedRun::of(*history);
    if (seed % 2 == 0) run.lose_some(rng, seed % 4 == 0 ? 0.1 : 0.0);
    ASSERT_TRUE(agrees(run, GetParam())) << "seed " << seed;
    ++tried;
    wrong += hear(run, GetParam()).at == kNotHeard ? 0 : 1;
  }
  EXPECT_GT(wrong, tried / 10) << "too seldom wrong to test much";
  EXPECT_LT(wrong, tried * 9 / 10) << "too often wrong to test much";
}

// Every history of a few operations, with those that never return.
TEST_P(OnlineFrontiers, AgreesOnAllSmallHistories) {
  const std::string in(GetParam().inserts);
  const std::string out(GetParam().removes);
  const Alphabet alphabet = {{in + "(1)", in + "(2)", out + ":1", out + ":2", out + ":null"},
                             {in + "(1)", in + "(2)", out}};
  Enumeration enumeration(alphabet, 3);
  constexpr std::array kShares = {1.0, 1.0, 1.0, 0.5, 0.01, 0.0003};  // by the number of operations
  for (std::size_t n = 1; n <= kShares.size(); ++n) {
    enumeration.run(n, std::min(1.0, kShares[n - 1] * test_scale()), [&](const History& history) {
      ASSERT_TRUE(agrees(WatchedRun::of(history), GetParam()));
    });
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Collections, OnlineFrontiers, ::testing::ValuesIn(kCollections),
                         [](const auto& tested) {
                           std::string name(tested.param.model);
                           std::erase(name, '-');
                           return name;
                         });

// Two monitors of which the first can retell what it was told: told that, the second must say what the first would have said.
struct Retelling {
  std::string_view model;
  OnlineMaker first;
  OnlineMaker second;
};

// Values become different, but for the last that is put in: so the first monitor judges for longer. Who took one of several
// equal values takes the first of them, or none.
void rename_most(Script& script) {
  std::int64_t next = 10;
  std::vector<std::pair<Value, Value>> names;
  Op* last = nullptr;
  for (Op& op : script.operations) {
    if (op.args.empty()) continue;
    names.emplace_back(op.args[0], Value::small(next++));
    op.args[0] = names.back().second;
    last = &op;
  }
  for (Op& op : script.operations) {
    if (!op.args.empty() || !op.result) continue;
    const auto it = std::ranges::find(names, *op.result, &std::pair<Value, Value>::first);
    if (it == names.end()) continue;
    op.result = it->second;
    it->first = kNull;
  }
  if (last != nullptr) last->args[0] = Value::small(10);
}

class OnlineRetold : public ::testing::TestWithParam<Retelling> {};

TEST_P(OnlineRetold, AgreesWithTheDefinitionFromAnyEventOn) {
  const Model& model = *find_model(GetParam().model).value();
  std::size_t retold = 0;
  for (const std::uint64_t seed : Seeds(scaled(20'000))) {
    Rng rng(seed);
    RandomShape shape;
    shape.processes = 2 + seed % 4;
    shape.operations = 4 + seed % 6;
    shape.crash = seed % 3 == 0 ? 0.15 : 0.0;
    Script script = RandomHistory(model, shape, seed).make();
    if (seed % 3 != 0) rename_most(script);
    const auto history = script.try_build();
    if (!history) continue;
    WatchedRun run = WatchedRun::of(*history);
    if (seed % 2 == 0) run.lose_some(rng, 0.1);
    const auto events = events_of(run, model);
    const OnlineSetting setting{&model, run.script.values, run.script.initial};
    const auto first = GetParam().first(setting);
    for (std::size_t at = 0; at < events.size() && tell(*first, events[at]) == OnlineAnswer::kFine; ++at) {
      const auto short_run = first->retell();
      if (!short_run) continue;
      ++retold;
      OnlineSetting from = setting;
      from.initial = short_run->initial;
      const auto second = GetParam().second(from);
      const Heard retelling = hear(*second, short_run->events);
      ASSERT_EQ(retelling.unjudged, "") << run.text();
      if (retelling.at != kNotHeard) {  // the first has put it off
        ASSERT_LE(run.first_impossible(model), at + 1) << "seed " << seed << "\n" << run.text();
        continue;
      }
      ASSERT_TRUE(test::agrees(run, hear(*second, events, at + 1), model, Due::kAtOnce))
          << "seed " << seed << ", event " << at;
    }
  }
  EXPECT_GT(retold, scaled(20'000));
}

INSTANTIATE_TEST_SUITE_P(Monitors, OnlineRetold,
                         ::testing::Values(Retelling{"queue", online_queue, online_frontiers_queue},
                                           Retelling{"stack", online_stack, online_frontiers_stack},
                                           Retelling{"register", online_register, online_configurations}),
                         [](const auto& tested) { return std::string(tested.param.model); });

// A value is there twice after a long run in which all were different, more than is noted of it.
class OnlineSwitch : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::int64_t kLong = 15'000;

  bool is_heard(std::int64_t process, std::string_view f, std::vector<Value> args, Value result) {
    const auto called = watcher_.call(Value::small(process), f, args);
    const auto returned = watcher_.ret(Value::small(process), {result, true});
    EXPECT_TRUE(called.ok() && !*called && returned.ok());
    EXPECT_EQ(watcher_.unjudged(), "");
    return returned->has_value();
  }

  Watcher watcher_ = std::move(Watcher::make(*find_model(GetParam()).value()).value());
};

TEST_P(OnlineSwitch, ForgetsNothing) {
  const bool is_register = GetParam() == "register";
  const std::string in = is_register ? "write" : GetParam() == "queue" ? "enqueue" : "insert";
  const std::string out = is_register ? "read" : GetParam() == "queue" ? "dequeue" : "extract_min";
  const std::int64_t inside = is_register ? 1 : 5;
  if (!is_register) {
    ASSERT_TRUE(watcher_.call(Value::small(9), out, {}).ok());  // open all the time
  }
  for (std::int64_t i = 1; i < inside; ++i) ASSERT_FALSE(is_heard(0, in, {Value::small(i)}, kNull));
  std::int64_t next = 1;
  for (; next < kLong; ++next) {
    ASSERT_FALSE(is_heard(0, in, {Value::small(next + inside - 1)}, kNull));
    ASSERT_FALSE(is_heard(1, out, {}, Value::small(next)));
  }
  const std::int64_t last = next + inside - 2;
  ASSERT_FALSE(is_heard(0, in, {Value::small(last)}, kNull));  // again
  for (; next < last; ++next) ASSERT_FALSE(is_heard(1, out, {}, Value::small(next)));
  for (int i = 0; i < 2; ++i) ASSERT_FALSE(is_heard(1, out, {}, Value::small(last)));
  EXPECT_TRUE(is_heard(1, out, {}, is_register ? Value::small(3) : Value::small(last)));
}

INSTANTIATE_TEST_SUITE_P(Models, OnlineSwitch, ::testing::Values("queue", "priority-queue", "register"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

// The same of a stack, some of whose values stay inside below all others.
TEST(OnlineStackSwitch, ForgetsNothing) {
  constexpr std::int64_t kLong = 15'000;
  Watcher watcher = std::move(Watcher::make(*find_model("stack").value()).value());
  const auto is_heard = [&](std::string_view f, std::vector<Value> args, Value result) {
    const auto called = watcher.call(Value::small(0), f, args);
    const auto returned = watcher.ret(Value::small(0), {result, true});
    EXPECT_TRUE(called.ok() && !*called && returned.ok());
    EXPECT_EQ(watcher.unjudged(), "");
    return returned->has_value();
  };
  for (std::int64_t i = 1; i < 5; ++i) ASSERT_FALSE(is_heard("push", {Value::small(i)}, kNull));
  for (std::int64_t i = 5; i < kLong; ++i) {
    ASSERT_FALSE(is_heard("push", {Value::small(i)}, kNull));
    ASSERT_FALSE(is_heard("pop", {}, Value::small(i)));
  }
  ASSERT_FALSE(is_heard("push", {Value::small(3)}, kNull));  // again
  for (const std::int64_t i : {3, 4, 3}) ASSERT_FALSE(is_heard("pop", {}, Value::small(i)));
  EXPECT_TRUE(is_heard("pop", {}, Value::small(3)));
}

}  // namespace
}  // namespace plumb::test
