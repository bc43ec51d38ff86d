// Lists by frontiers, those of java.util.concurrent among them: looks at both ends, counts, and elements that find no room.
// Against brute force on every small history, and against the definition on random ones.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/agree.hpp"
#include "support/enumerate.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

using test::Alphabet;
using test::RandomShape;

const Model& model(std::string_view name) { return *find_model(name).value(); }

struct Object {
  std::string name;
  Alphabet alphabet;
};

std::vector<Object> objects() {
  std::vector<Object> all;
  all.push_back({"java:ConcurrentLinkedQueue",
                 {{"offer(1):true", "offer(2):true", "poll:null", "poll:1", "poll:2", "peek:null", "peek:1",
                   "peek:2", "isEmpty:true"},
                  {"offer(1)", "poll"}}});
  all.push_back({"java:ArrayBlockingQueue",
                 {{"offer(1):true", "offer(2):true", "offer(1):false", "poll:null", "poll:1", "poll:2",
                   "peek:1", "size:1", "isEmpty:false"},
                  {"offer(1)", "poll", "take"},
                  0,
                  0,
                  "[1]"}});
  all.push_back({"java:ArrayBlockingQueue",
                 {{"put(1):null", "offer(2):false", "put(2):null", "take:1", "take:2", "peek:2", "peek:null",
                   "remainingCapacity:1", "remainingCapacity:0"},
                  {"put(1)", "take"},
                  0,
                  0,
                  "[2]"}});
  all.push_back({"java:LinkedBlockingDeque",
                 {{"offerFirst(1):true", "offerLast(2):true", "offerFirst(1):false", "pollFirst:1",
                   "pollFirst:2", "pollLast:1", "pollLast:2", "peekFirst:1", "peekLast:1", "peekLast:null"},
                  {"offerFirst(1)", "offerLast(2)", "pollLast"},
                  0,
                  0,
                  "[2]"}});
  all.push_back({"java:PriorityBlockingQueue",
                 {{"offer(1):true", "offer(2):true", "poll:null", "poll:1", "poll:2", "peek:null", "peek:1",
                   "peek:2", "isEmpty:true"},
                  {"offer(1)", "poll"}}});
  all.push_back(
      {"java:PriorityBlockingQueue",
       {{"put(1):null", "put(2):null", "take:1", "take:2", "element:2", "size:1", "size:2", "isEmpty:false"},
        {"put(1)", "take"}}});
  all.push_back({"queue",
                 {{"enqueue(1):null", "enqueue(2):null", "dequeue:null", "dequeue:1", "dequeue:2",
                   "peek:null", "peek:1", "peek:2"},
                  {"enqueue(1)", "dequeue", "peek"}}});
  all.push_back(
      {"stack",
       {{"push(1):null", "push(2):null", "pop:null", "pop:1", "pop:2", "peek:null", "peek:1", "peek:2"},
        {"push(1)", "pop", "peek"}}});
  all.push_back({"deque",
                 {{"push_front(1):null", "push_back(2):null", "pop_front:1", "pop_front:2", "pop_back:1",
                   "peek_front:1", "peek_front:null", "peek_back:1", "peek_back:2"},
                  {"push_front(1)", "pop_back", "peek_back"}}});
  all.push_back({"priority-queue",
                 {{"insert(1):null", "insert(2):null", "extract_min:null", "extract_min:1", "extract_min:2",
                   "peek:null", "peek:1", "peek:2"},
                  {"insert(1)", "extract_min", "peek"}}});
  return all;
}

class FrontierLists : public ::testing::TestWithParam<std::size_t> {};

// All of three operations, and some of four.
TEST_P(FrontierLists, AgreeWithBruteForceOnEverySmallHistory) {
  const Object object = objects()[GetParam()];
  const Model& m = model(object.name);
  test::Enumeration enumeration(object.alphabet, 3);
  for (std::size_t n = 1; n <= 4; ++n) {
    std::uint64_t linearizable = 0;
    std::uint64_t compared = 0;
    const double share = n < 3   ? 1.0
                         : n < 4 ? std::min(1.0, 2 * test::test_scale())
                                 : std::min(1.0, test::test_scale() / 25);
    enumeration.run(n, share, [&](const History& history) {
      if (::testing::Test::HasFatalFailure()) return;
      const auto brute = check(history, m, test::options(Engine::kBrute));
      const auto frontier = check(history, m, test::options(Engine::kFrontier));
      ASSERT_TRUE(brute.ok() && frontier.ok());
      ASSERT_EQ(brute->outcome, frontier->outcome) << frontier->why << test::agree(history, m).message();
      ++compared;
      linearizable += brute->outcome == Outcome::kHolds ? 1 : 0;
      ASSERT_TRUE(test::verdict_holds(history, m, *frontier)) << test::Script::of(history).text();
    });
    if (::testing::Test::HasFatalFailure()) return;
    EXPECT_GT(compared, n) << "nothing was compared";
    EXPECT_GT(linearizable, compared / 20) << n << " operations";
    EXPECT_LT(linearizable, compared) << n << " operations";
  }
}

INSTANTIATE_TEST_SUITE_P(Objects, FrontierLists, ::testing::Range(std::size_t{0}, std::size_t{10}));

struct Methods {
  std::string name;
  std::vector<std::string_view> functions;
};

class RandomLists : public ::testing::TestWithParam<Methods> {};

TEST_P(RandomLists, AgreeWithTheDefinition) {
  const auto& [name, functions] = GetParam();
  std::size_t linearizable = 0;
  std::size_t judged = 0;
  const std::size_t count = test::scaled(1500);
  for (const std::uint64_t seed : test::Seeds(count)) {
    Rng rng(seed);
    const bool is_long = rng.below(4) == 0;
    const RandomShape shape{.processes = is_long ? 2 : 2 + rng.below(4),
                            .operations = is_long ? 14 : 4 + rng.below(6),
                            .crash = 0.07,
                            .filled = rng.below(4) == 0,
                            .functions = functions};
    const History history = test::RandomHistory(model(name), shape, seed).make().build();
    const auto verdict = check(history, model(name), test::options(Engine::kFrontier));
    ASSERT_TRUE(test::agree(history, model(name))) << "seed " << seed;
    judged += verdict->outcome != Outcome::kUnknown ? 1 : 0;
    linearizable += verdict->outcome == Outcome::kHolds ? 1 : 0;
  }
  EXPECT_EQ(judged, count);
  EXPECT_GT(linearizable, count / 10);
  EXPECT_LT(linearizable, count * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(
    Classes, RandomLists,
    ::testing::Values(
        Methods{"java:ConcurrentLinkedQueue", {"offer", "poll", "peek"}},
        Methods{"java:ConcurrentLinkedQueue",
                {"add", "poll", "peek", "element", "removeHead", "isEmpty", "size"}},
        Methods{"java:ArrayBlockingQueue", {"offer", "poll", "peek"}},
        Methods{"java:ArrayBlockingQueue", {"offer", "add", "poll", "take", "size", "remainingCapacity"}},
        Methods{"java:ConcurrentLinkedDeque",
                {"addFirst", "offerLast", "pollFirst", "pollLast", "peekFirst", "peekLast", "getLast"}},
        Methods{"java:LinkedBlockingDeque",
                {"offerFirst", "putLast", "offerLast", "pollFirst", "removeLast", "peekLast", "element"}},
        Methods{"java:LinkedBlockingQueue", {"put", "take", "offer", "peek", "isEmpty"}},
        Methods{"java:LinkedTransferQueue", {"put", "take", "removeHead", "remainingCapacity", "peek"}},
        Methods{"java:PriorityBlockingQueue", {"offer", "poll", "peek"}},
        Methods{"java:PriorityBlockingQueue", {"put", "take", "poll", "element", "size", "isEmpty"}},
        Methods{"queue", {"enqueue", "dequeue", "peek"}}, Methods{"stack", {"push", "pop", "peek"}},
        Methods{"deque", {"push_front", "push_back", "pop_front", "pop_back", "peek_front", "peek_back"}},
        Methods{"priority-queue", {"insert", "extract_min", "peek"}}));

Verdict verdict_of(std::string_view name, std::vector<std::string_view> calls, Engine engine) {
  test::Script script;
  Time now = 0;
  script.initial = script.values->array(std::array{Value::small(1)});
  for (const std::string_view call : calls) {
    script.add(0, call, now, now + 1);
    now += 2;
  }
  return *check(script.build(), model(name), test::options(engine));
}

TEST(FrontierList, SaysWhichMethodDoesNotGoByTheEnds) {
  const auto why = [](std::vector<std::string_view> calls) {
    return verdict_of("java:ArrayBlockingQueue", std::move(calls), Engine::kFrontier).why;
  };
  EXPECT_EQ(why({"offer(1):true", "contains(1):true"}),
            "no frontier can judge it: 'contains' does not go by the ends of a list");
  EXPECT_EQ(why({"offer(null):\"java.lang.NullPointerException\""}),
            "no frontier can judge it: an element is null");
  EXPECT_EQ(why({"offer(\"java.util.NoSuchElementException\"):true"}),
            "no frontier can judge it: an element is the name of an exception");
}

TEST(FrontierList, TellsWhatCouldHaveBeenReturned) {
  const auto allowed = [](std::vector<std::string_view> calls) {
    const Verdict verdict = verdict_of("java:ArrayBlockingQueue", std::move(calls), Engine::kFrontier);
    EXPECT_EQ(verdict.outcome, Outcome::kViolation);
    EXPECT_TRUE(verdict.violation->allowed_complete);
    return verdict.violation->allowed;
  };
  using Results = std::vector<std::string>;
  EXPECT_EQ(allowed({"offer(7):true", "peek:8", "take:7"}), Results{"7"});
  EXPECT_EQ(allowed({"offer(7):true", "take:7", "poll:7"}), Results{"null"});
  EXPECT_EQ(allowed({"offer(7):true", "take:7", "take:7"}), Results{});
  EXPECT_EQ(allowed({"offer(7):true", "take:7", "element:7"}),
            Results{"\"java.util.NoSuchElementException\""});
}

TEST(FrontierList, ATextMeansTheValueItReadsLike) {
  EXPECT_EQ(verdict_of("java:ArrayBlockingQueue", {"offer(7):\"true\"", "size:\"1\"", "poll:\"7\""},
                       Engine::kFrontier)
                .outcome,
            Outcome::kHolds);
}

// What an object begins with is an element as any other.
TEST(FrontierList, RefusesWhatItBeginsWith) {
  const auto why = [](std::string_view name, std::string_view item) {
    test::Script script;
    const Value inside = script.values->array(std::array{script.values->string(item)});
    script.initial = script.values->array(std::array{inside});
    script.add(0, "size:1", 0, 1);
    return check(script.build(), model(name), test::options(Engine::kFrontier))->why;
  };
  EXPECT_EQ(why("java:PriorityBlockingQueue", "a"),
            "no frontier can judge it: what it begins with is no integer");
  EXPECT_EQ(why("java:ConcurrentLinkedQueue", "java.util.NoSuchElementException"),
            "no frontier can judge it: an element is the name of an exception");
}

// A value that is looked at again and again while it stays.
TEST(FrontierList, AHundredThousandLooksAtOneValue) {
  HistoryBuilder builder;
  const Value one = Value::small(1);
  builder.add(one, builder.function("offer"), std::span(&one, 1), {kTrue, true}, 0, 1);
  for (Time now = 2; now < 200'000; now += 2)
    builder.add(one, builder.function("peek"), {}, {one, true}, now, now + 1);
  const auto verdict =
      check(builder.finish().value(), model("java:ConcurrentLinkedQueue"), test::options(Engine::kFrontier));
  EXPECT_EQ(verdict->outcome, Outcome::kHolds) << verdict->why;
}

}  // namespace
}  // namespace plumb
