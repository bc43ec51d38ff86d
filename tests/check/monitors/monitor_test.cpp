// Monitors against the definition, on histories made for them: values inserted once, removals of empty,
// pending operations. What is linearizable replays, every core is refuted again by brute force (see agree).
#include <tuple>

#include <gtest/gtest.h>

#include <plumb/generate.hpp>

#include "base/rng.hpp"
#include "support/agree.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

struct Collection {
  const char* model;
  const char* insert;
  const char* remove;
};

// Up to `most` values, each inserted once and mostly removed once, in intervals drawn at random.
History random_collection(Rng& rng, const Collection& c, std::size_t most, double pending) {
  struct Drawn {
    bool insert;
    Value value;
    bool pending;
    Time call;
    Time ret;
  };
  std::vector<Drawn> drawn;
  const std::size_t values = 1 + rng.below(most);
  for (std::size_t v = 1; v <= values; ++v) {
    drawn.push_back({true, Value::small(static_cast<std::int64_t>(v)), rng.chance(pending), 0, 0});
    if (rng.chance(0.85)) drawn.push_back({false, Value::small(static_cast<std::int64_t>(v)), false, 0, 0});
  }
  for (std::size_t i = rng.below(3); i > 0; --i) drawn.push_back({false, kNull, false, 0, 0});
  if (rng.chance(3 * pending)) drawn.push_back({false, kNull, true, 0, 0});
  for (Drawn& d : drawn) {
    d.call = static_cast<Time>(2 * rng.below(4 * drawn.size()));
    d.ret = d.call + 1 + static_cast<Time>(2 * rng.below(rng.chance(0.5) ? 4 : 2 * drawn.size()));
  }
  for (Drawn& in : drawn) {  // mostly, a value is not out before it goes in
    for (Drawn& out : drawn) {
      if (in.insert && !out.insert && in.value == out.value && out.ret < in.call && !rng.chance(0.02)) {
        std::swap(in.call, out.call);
        std::swap(in.ret, out.ret);
      }
    }
  }
  HistoryBuilder builder;
  const FunctionId insert = builder.function(c.insert);
  const FunctionId remove = builder.function(c.remove);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const Drawn& d = drawn[i];
    const std::span<const Value> args(&d.value, d.insert ? 1 : 0);
    builder.add(Value::small(static_cast<std::int64_t>(i)), d.insert ? insert : remove, args,
                {d.insert ? kNull : d.value, !d.pending}, d.call, d.pending ? kNever : d.ret);
  }
  return builder.finish().value();
}

class CollectionMonitor : public ::testing::TestWithParam<Collection> {};

TEST_P(CollectionMonitor, AgreesWithTheDefinition) {
  const Model& model = *find_model(GetParam().model).value();
  Rng rng(7);
  std::size_t by_monitor = 0;
  std::size_t linearizable = 0;
  const std::size_t rounds = test::scaled(3000);
  for (std::size_t i = 0; i < rounds; ++i) {
    const History history = random_collection(rng, GetParam(), 4, i % 2 == 0 ? 0 : 0.15);
    const auto verdict = check(history, model);
    ASSERT_TRUE(verdict.ok());
    by_monitor += to_string(verdict->engines) == "monitor" ? 1U : 0U;
    linearizable += verdict->outcome == Outcome::kHolds ? 1U : 0U;
    ASSERT_TRUE(test::agree(history, model));
  }
  EXPECT_GT(by_monitor, rounds * 8 / 10);
  EXPECT_GT(linearizable, rounds / 10);
  EXPECT_LT(linearizable, rounds * 9 / 10);
}

TEST_P(CollectionMonitor, AgreesWithTheSearchOnMoreValues) {
  const Model& model = *find_model(GetParam().model).value();
  Rng rng(11);
  for (std::size_t i = 0; i < test::scaled(20'000); ++i) {
    const History history = random_collection(rng, GetParam(), 8, i % 2 == 0 ? 0 : 0.1);
    const auto planned = check(history, model);
    const auto searched = check(history, model, test::options(Engine::kWgl));
    ASSERT_TRUE(planned.ok() && searched.ok());
    ASSERT_EQ(planned->outcome, searched->outcome) << test::agree(history, model).message();
  }
}

// Several objects in one history, with times of which many are equal.
History side_by_side(std::span<const History> histories) {
  HistoryBuilder builder;
  std::int64_t process = 0;
  for (std::size_t object = 0; object < histories.size(); ++object) {
    const History& h = histories[object];
    for (OperationId i = 0; i < h.size(); ++i) {
      const OperationId op =
          builder.add(Value::small(process++), builder.function(h.function_name(i)), h.args(i),
                      {h.result(i), h.has_result(i)}, h.call(i) / 4, h.is_pending(i) ? kNever : h.ret(i) / 4);
      builder.set_object(op, Value::small(static_cast<std::int64_t>(object)));
    }
  }
  return builder.finish().value();
}

TEST_P(CollectionMonitor, AgreesOnSeveralObjectsAndEqualTimes) {
  const Model& model = *find_model(GetParam().model).value();
  Rng rng(13);
  for (std::size_t i = 0; i < test::scaled(1500); ++i) {
    std::vector<History> histories;
    for (std::size_t k = 1 + rng.below(3); k > 0; --k)
      histories.push_back(random_collection(rng, GetParam(), 2, i % 2 == 0 ? 0 : 0.1));
    ASSERT_TRUE(test::agree(side_by_side(histories), model));
  }
}

INSTANTIATE_TEST_SUITE_P(Model, CollectionMonitor,
                         ::testing::Values(Collection{"queue", "enqueue", "dequeue"},
                                           Collection{"stack", "push", "pop"},
                                           Collection{"priority-queue", "insert", "extract_min"}),
                         [](const auto& test) { return std::string(test.param.insert); });

// Linear or log-linear: a search would not end on these.
class LargeHistories : public ::testing::TestWithParam<std::tuple<const char*, std::size_t>> {};

TEST_P(LargeHistories, AreDecidedByTheMonitor) {
  const auto [name, processes] = GetParam();
  const Model& model = *find_model(name).value();
  for (const Profile profile : {Profile::kBalanced, Profile::kFillDrain, Profile::kBursts}) {
    for (const bool spoil : {false, true}) {
      GenerateOptions options;
      options.model = name;
      options.operations = static_cast<std::size_t>(test::scaled(100'000));
      options.processes = processes;
      options.overlap = 0.9;
      options.profile = profile;
      options.spoil = spoil;
      const auto generated = generate(options);
      ASSERT_TRUE(generated.ok()) << generated.error().text();
      const auto verdict = check(generated->history, model);
      ASSERT_TRUE(verdict.ok());
      EXPECT_EQ(to_string(verdict->engines), "monitor") << verdict->why;
      EXPECT_EQ(verdict->outcome, spoil ? Outcome::kViolation : Outcome::kHolds) << verdict->why;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Model, LargeHistories,
                         ::testing::Combine(::testing::Values("queue", "stack", "priority-queue", "set"),
                                            ::testing::Values(8, 32)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)).substr(0, 5) +
                                  std::to_string(std::get<1>(test.param));
                         });

TEST(Plan, SaysWhy) {
  const auto why = [](const char* model, const History& history) {
    return check(history, *find_model(model).value())->why;
  };
  HistoryBuilder builder;
  const Value one = Value::small(1);
  builder.add(Value::small(0), builder.function("enqueue"), std::span(&one, 1), {}, 0, 1);
  builder.add(Value::small(0), builder.function("enqueue"), std::span(&one, 1), {}, 2, 3);
  EXPECT_EQ(why("queue", builder.finish().value()),
            "1 is inserted twice; what goes in and what comes out are ordered apart");
  builder.add(Value::small(0), builder.function("push_back"), std::span(&one, 1), {}, 0, 1);
  EXPECT_EQ(why("deque", builder.finish().value()), "this model has no monitor");
}

TEST(Plan, AMonitorThatCannotJudgeSaysUnknown) {
  HistoryBuilder builder;
  const Value one = Value::small(1);
  builder.add(Value::small(0), builder.function("push_back"), std::span(&one, 1), {}, 0, 1);
  const auto verdict =
      check(builder.finish().value(), *find_model("deque").value(), test::options(Engine::kMonitor));
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict->why, "no monitor can judge it: this model has no monitor");
}

// By the clock its operations then run at once, and any may come first.
TEST(MutexMonitor, LeavesAProcessThatCallsWhenItReturnsToTheSearch) {
  test::Script script;
  script.add(1, "acquire()", 0, 1);
  script.add(0, "try_acquire():true", 0, 1);
  script.add(0, "release()", 1, 1);
  const History history = script.build();
  EXPECT_TRUE(test::agree(history, *find_model("mutex").value()));
  EXPECT_TRUE(test::is_linearizable(history, *find_model("mutex").value()));
}

}  // namespace
}  // namespace plumb
