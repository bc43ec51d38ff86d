// The watcher against the definition: at every event, what it says must be what an exhaustive search says of the events so
// far, with the open operations pending.
#include <gtest/gtest.h>

#include <plumb/watch.hpp>

#include "support/enumerate.hpp"
#include "support/oracle.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/script.hpp"

namespace plumb::test {
namespace {

const Model& model_named(std::string_view name) { return *find_model(name).value(); }

// The events of a history up to (not including) the one at `end`, the rest cut off.
Script prefix_of(const History& history, std::size_t end) {
  const Positions positions(history);
  const Script all = Script::of(history);
  Script some = all;
  some.operations.clear();
  for (OperationId i = 0; i < history.size(); ++i) {
    if (positions.call[i] >= end) continue;
    Op op = all.operations[i];
    if (positions.ret[i] >= end) {
      op.ret = kNever;
      op.result.reset();
    }
    some.operations.push_back(std::move(op));
  }
  return some;
}

struct Heard {
  std::size_t at =
      ~std::size_t{0};  // after how many events the alarm came; the number of events + 1: only at the end
  std::string unjudged;
};

Heard watch(const History& history, const Model& model) {
  auto values = std::make_shared<Values>();
  WatchOptions options;
  options.initial = values->import(history.values(), history.initial());
  Watcher watcher = std::move(Watcher::make(model, values, options).value());
  for (std::size_t at = 0; at < history.events().size(); ++at) {
    const Event event = history.events()[at];
    const OperationId i = event.operation();
    const Value process = values->import(history.values(), history.process(i));
    std::vector<Value> args;
    for (const Value arg : history.args(i)) args.push_back(values->import(history.values(), arg));
    const auto answer = event.is_return()
                            ? watcher.ret(process, {values->import(history.values(), history.result(i)),
                                                    history.has_result(i)})
                            : watcher.call(process, history.function_name(i), args,
                                           values->import(history.values(), history.object(i)));
    if (!answer) return {at + 1, answer.error().text()};
    if (*answer) {
      EXPECT_FALSE((*answer)->reason.empty());
      return {at + 1, watcher.unjudged()};
    }
  }
  const auto last = watcher.settle();
  return {last.value() ? history.events().size() + 1 : ~std::size_t{0}, watcher.unjudged()};
}

// When the first prefix that is not linearizable ends.
std::size_t first_impossible(const History& history, const Model& model) {
  for (std::size_t end = 1; end <= history.events().size(); ++end) {
    if (!history.events()[end - 1].is_return()) continue;
    if (!is_linearizable(prefix_of(history, end).build(), model)) return end;
  }
  return ~std::size_t{0};
}

// `at_once`: the alarm comes with the very event; otherwise never too early, and at the latest at the end.
::testing::AssertionResult agrees(const History& history, const Model& model, bool at_once) {
  const Heard heard = watch(history, model);
  const std::size_t truth = first_impossible(history, model);
  if (!heard.unjudged.empty()) {
    return ::testing::AssertionFailure() << "not judged: " << heard.unjudged << "\n"
                                         << Script::of(history).text();
  }
  const bool both = (heard.at == ~std::size_t{0}) == (truth == ~std::size_t{0});
  if (both && (heard.at == truth || (!at_once && heard.at > truth))) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << model.name() << ": alarm after event " << static_cast<std::int64_t>(heard.at)
         << ", by the definition after " << static_cast<std::int64_t>(truth) << "\n"
         << Script::of(history).text();
}

struct Watched {
  std::string model;
  bool at_once;
};

class Online : public ::testing::TestWithParam<Watched> {};

TEST_P(Online, AgreesWithTheDefinitionAtEveryEvent) {
  const Model& model = model_named(GetParam().model);
  const std::size_t rounds = scaled(6000);
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    RandomShape shape;
    shape.processes = 2 + seed % 3;
    shape.operations = 4 + seed % 5;
    shape.crash = seed % 2 == 0 ? 0.0 : 0.1;
    const Script script = RandomHistory(model, shape, seed).make();
    const auto history = script.try_build();
    if (!history) continue;
    ASSERT_TRUE(agrees(*history, model, GetParam().at_once)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Online,
                         ::testing::Values(Watched{"queue", false}, Watched{"set", true},
                                           Watched{"register", true}, Watched{"priority-queue", false},
                                           Watched{"mutex", true}, Watched{"counter", true},
                                           Watched{"stack", false}, Watched{"map", true},
                                           Watched{"deque", false}, Watched{"multiset", true}),
                         [](const auto& chosen) {
                           std::string name = chosen.param.model;
                           std::erase(name, '-');
                           return name;
                         });

// Values that are all different, so that the special monitors judge to the end.
Script make_different(Script script, std::string_view inserts, std::string_view removes, Rng& rng) {
  std::vector<Value> inserted;
  std::int64_t next = 1;
  for (Op& op : script.operations) {
    if (op.f != inserts) continue;
    op.args = {Value::small(next++)};
    inserted.push_back(op.args[0]);
  }
  for (Op& op : script.operations) {
    if (op.f != removes || op.is_pending()) continue;
    if (inserted.empty() || rng.below(4) == 0) {
      op.result = kNull;
      continue;
    }
    // mostly the next one in order, sometimes any
    const std::size_t k = rng.below(3) == 0 ? rng.below(inserted.size()) : 0;
    op.result = inserted[k];
    if (rng.below(16) != 0) inserted.erase(inserted.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return script;
}

class OnlineDifferent
    : public ::testing::TestWithParam<std::tuple<std::string, std::string, std::string, bool>> {};

TEST_P(OnlineDifferent, AgreesWithTheDefinition) {
  const auto& [name, inserts, removes, at_once] = GetParam();
  const Model& model = model_named(name);
  const std::size_t rounds = scaled(40000);
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    Rng rng(seed);
    RandomShape shape;
    shape.processes = 2 + seed % 4;
    shape.operations = 4 + seed % 6;
    shape.crash = name != "priority-queue" && seed % 3 == 0 ? 0.1 : 0.0;
    shape.spoil = 0;
    const Script script = make_different(RandomHistory(model, shape, seed).make(), inserts, removes, rng);
    const auto history = script.try_build();
    ASSERT_TRUE(history);
    ASSERT_TRUE(agrees(*history, model, at_once)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OnlineDifferent,
                         ::testing::Values(std::tuple("queue", "enqueue", "dequeue", true),
                                           std::tuple("register", "write", "read", true),
                                           std::tuple("priority-queue", "insert", "extract_min", false)),
                         [](const auto& chosen) {
                           std::string name = std::get<0>(chosen.param);
                           std::erase(name, '-');
                           return name;
                         });

// Every history of a few operations.
void exhaust(std::string_view model, const Alphabet& alphabet, std::size_t most, int processes,
             bool at_once) {
  Enumeration enumeration(alphabet, processes);
  for (std::size_t n = 1; n <= most; ++n) {
    const double share = (n == most ? 0.2 : 1.0) * test_scale();
    enumeration.run(
        n, share, [&](const History& history) { ASSERT_TRUE(agrees(history, model_named(model), at_once)); });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(OnlineExhaustive, Queue) {
  exhaust("queue",
          {{"enqueue(1)", "enqueue(2)", "dequeue:1", "dequeue:2", "dequeue:null"}, {"enqueue(1)", "dequeue"}},
          4, 3, false);
}
TEST(OnlineExhaustive, Set) {
  exhaust("set",
          {{"add(1):true", "add(1):false", "remove(1):true", "remove(1):false", "contains(1):true",
            "contains(1):false"},
           {"add(1)", "remove(1)", "contains(1)"}},
          4, 4, true);
}
TEST(OnlineExhaustive, PriorityQueue) {
  exhaust("priority-queue",
          {{"insert(1)", "insert(2)", "extract_min:1", "extract_min:2", "extract_min:null"},
           {"insert(1)", "extract_min"}},
          4, 3, false);
}
TEST(OnlineExhaustive, Register) {
  exhaust("register", {{"write(1)", "write(2)", "read:null", "read:1", "read:2"}, {"write(1)", "read"}}, 4, 3,
          true);
}

}  // namespace
}  // namespace plumb::test
