// The generator against the models, which it does not use: what it says happened can be replayed through
// them.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/generate.hpp>
#include <plumb/model.hpp>

#include "base/rng.hpp"
#include "spec/bind.hpp"
#include "spec/workload.hpp"
#include "support/model_name.hpp"

namespace plumb {

void showValue(const GenerateOptions& o, std::ostream& out) {  // found by rapidcheck
  out << o.model << " operations " << o.operations << " processes " << o.processes << " keys " << o.keys
      << " values " << o.values << " distinct " << o.distinct << " overlap " << o.overlap << " pending "
      << o.pending << " seed " << o.seed << " profile " << static_cast<int>(o.profile) << " spoil "
      << o.spoil;
}

namespace {

// Any options with at most that many operations.
rc::Gen<GenerateOptions> options_of(const std::string& model, std::size_t most) {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [=](std::uint64_t seed) {
    Rng rng(seed);
    GenerateOptions o;
    o.model = model;
    o.operations = 8 + rng.below(most - 7);
    o.processes = 1 + rng.below(6);
    o.keys = 1 + rng.below(5);
    o.values = 1 + rng.below(4);
    o.distinct = rng.chance(0.6);
    o.overlap = std::array{0.0, 0.1, 0.5, 1.0}[rng.below(4)];
    o.pending = std::array{0.0, 0.05, 0.3, 1.0}[rng.below(4)];
    o.seed = seed;
    if (has_profiles(model)) o.profile = static_cast<Profile>(rng.below(3));
    return o;
  });
}

// No operation stands before one that had returned before it was called.
bool respects_happens_before(const History& h, const std::vector<OperationId>& order) {
  Time latest_call = -1;
  for (const OperationId op : order) {
    if (h.ret(op) < latest_call) return false;
    latest_call = std::max(latest_call, h.call(op));
  }
  return true;
}

// Every completed operation once, pending ones at most once.
bool has_every_operation(const History& h, const std::vector<OperationId>& order) {
  std::vector<int> times(h.size());
  for (const OperationId op : order) ++times[op];
  for (OperationId i = 0; i < h.size(); ++i) {
    if (times[i] > 1 || (times[i] == 0 && !h.is_pending(i))) return false;
  }
  return true;
}

// How many steps of the order the model does not allow; it goes on after one as if the result had not been
// recorded.
std::size_t illegal_steps(const Model& model, const Generated& generated) {
  const auto bound = BoundHistory::bind(generated.history, model);
  if (!bound) return generated.history.size();
  const auto states = model.states(generated.history.values(), generated.history.initial());
  StateId state = (*states)->initial();
  std::size_t illegal = 0;
  for (const OperationId op : generated.linearization) {
    std::vector<StateId> next;
    (*states)->step(state, bound->call(op), bound->result(op), next);
    if (next.empty()) {
      ++illegal;
      (*states)->step(state, bound->call(op), std::nullopt, next);
    }
    if (next.empty()) return generated.history.size();
    state = next.front();
  }
  return illegal;
}

class EveryModel : public testing::TestWithParam<const Model*> {
 protected:
  std::string name() const { return std::string(GetParam()->name()); }
};

class KeyedModel : public EveryModel {};

std::vector<const Model*> keyed_models() {
  std::vector<const Model*> keyed;
  std::ranges::copy_if(built_in_models(), std::back_inserter(keyed), &Model::is_keyed);
  return keyed;
}

TEST_P(EveryModel, ReplaysItsOwnLinearization) {
  rc::check([&] {
    const auto options = *options_of(name(), 300);
    const auto generated = generate(options);
    RC_ASSERT(generated.ok());
    const History& h = generated->history;
    RC_ASSERT(h.size() == options.operations);
    RC_ASSERT(has_every_operation(h, generated->linearization));
    RC_ASSERT(respects_happens_before(h, generated->linearization));
    RC_ASSERT(illegal_steps(*GetParam(), *generated) == 0U);
    RC_ASSERT(options.pending > 0 || h.pending() == 0U);
  });
}

TEST_P(EveryModel, SpoiledIsNeverLinearizable) {
  rc::check([&] {
    auto options = *options_of(name(), 14);
    options.spoil = true;
    options.processes = std::min<std::size_t>(options.processes, 3);
    options.pending = std::min(options.pending, 0.1);  // a search over many lost operations is a long one
    const auto generated = generate(options);
    RC_ASSERT(generated.ok());
    RC_ASSERT(generated->spoiled.has_value());
    RC_ASSERT(generated->history.size() >= options.operations);
    RC_ASSERT(respects_happens_before(generated->history, generated->linearization));
    const std::size_t illegal = illegal_steps(*GetParam(), *generated);
    RC_ASSERT(illegal == 1U || illegal == 2U);
    const auto verdict = check(generated->history, *GetParam());
    RC_ASSERT(verdict.ok());
    RC_ASSERT(verdict->outcome == Outcome::kViolation);
  });
}

TEST_P(EveryModel, UnspoiledIsLinearizable) {
  rc::check([&] {
    auto options = *options_of(name(), 24);
    options.processes = std::min<std::size_t>(options.processes, 3);
    options.pending = std::min(options.pending, 0.05);
    const auto generated = generate(options);
    RC_ASSERT(generated.ok());
    const auto verdict = check(generated->history, *GetParam());
    RC_ASSERT(verdict.ok());
    RC_ASSERT(verdict->outcome == Outcome::kHolds);
  });
}

// Each key on its own, with states of its own, allows exactly what all of them together do.
TEST_P(KeyedModel, PartitionedAndUnpartitionedAgree) {
  const Model& model = *GetParam();
  rc::check([&] {
    const auto generated = generate(*options_of(name(), 200));
    RC_ASSERT(generated.ok());
    const History& h = generated->history;
    const auto bound = BoundHistory::bind(h, model);
    RC_ASSERT(bound.ok());
    const auto whole = model.states(h.values(), h.initial());
    StateId state = (*whole)->initial();
    std::map<std::uint32_t, std::pair<std::unique_ptr<States>, StateId>> parts;
    for (const OperationId op : generated->linearization) {
      const Call call = bound->call(op);
      auto& [states, part] = parts[model.key(call)->bits()];
      if (!states) {
        auto fresh = model.states(h.values(), h.initial());
        states = std::move(*fresh);
        part = states->initial();
      }
      const auto in_whole = (*whole)->results(state, call);
      const auto in_part = states->results(part, call);
      RC_ASSERT(in_whole.size() == 1U && in_part.size() == 1U);
      RC_ASSERT((*whole)->values().to_json(in_whole[0]) == states->values().to_json(in_part[0]));
      std::vector<StateId> next;
      (*whole)->step(state, call, std::nullopt, next);
      states->step(part, call, std::nullopt, next);
      state = next.at(0);
      part = next.at(1);
    }
  });
}

TEST_P(EveryModel, ASeedIsAHistory) {
  const auto text = [&](std::uint64_t seed) {
    GenerateOptions options;
    options.model = name();
    options.operations = 200;
    options.pending = 0.05;
    options.seed = seed;
    const auto generated = generate(options);
    const auto written = format_histories({&generated->history, 1}, "jsonl");
    return written.ok() ? *written : written.error().text();
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryModel,
                         testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);
INSTANTIATE_TEST_SUITE_P(Generate, KeyedModel, testing::ValuesIn(keyed_models()), test::model_name);

// The workload of Table 1 of the P-compositionality paper.
TEST(Generate, TheSetOfThePaper) {
  const auto generated =
      generate({.model = "set", .operations = 280'000, .processes = 4, .keys = 24, .overlap = 1});
  ASSERT_TRUE(generated.ok());
  const History& h = generated->history;
  EXPECT_EQ(h.size(), 280'000U);
  EXPECT_EQ(h.processes(), 4U);
  EXPECT_EQ(h.pending(), 0U);
  std::map<std::string, int> by_function;
  std::map<std::int64_t, int> by_key;
  for (OperationId i = 0; i < h.size(); ++i) {
    ++by_function[h.function_name(i)];
    ++by_key[h.values().as_integer(h.args(i)[0])];
  }
  ASSERT_EQ(by_function.size(), 3U);
  for (const auto& [function, times] : by_function) EXPECT_NEAR(times, 280'000 / 3, 2000) << function;
  ASSERT_EQ(by_key.size(), 24U);
  for (const auto& [key, times] : by_key) EXPECT_NEAR(times, 280'000 / 24, 700) << key;
}

// How many operations are running, on average, when one is called.
double concurrency(const History& h) {
  double sum = 0;
  int running = 0;
  for (const Event e : h.events()) {
    if (!e.is_return()) sum += ++running;
    if (e.is_return()) --running;
  }
  return sum / static_cast<double>(h.size());
}

TEST(Generate, OverlapGoesFromSequentialToAlwaysBusy) {
  const auto at = [](double overlap) {
    return concurrency(
        generate({.model = "register", .operations = 5000, .processes = 8, .overlap = overlap})->history);
  };
  EXPECT_EQ(at(0), 1.0);
  EXPECT_GT(at(0.1), 1.05);
  EXPECT_LT(at(0.1), at(0.5));
  EXPECT_LT(at(0.5), at(1));
  EXPECT_NEAR(at(1), 8.0, 0.01);
}

TEST(Generate, FillDrainInsertsFirstAndRemovesAfterwards) {
  const auto generated = generate({.model = "stack", .operations = 1000, .profile = Profile::kFillDrain});
  ASSERT_TRUE(generated.ok());
  const History& h = generated->history;
  for (OperationId i = 0; i < h.size(); ++i) EXPECT_EQ(h.function_name(i), i < 500 ? "push" : "pop");
}

TEST(Generate, DistinctMeansNoValueTwice) {
  for (const std::string model : {"queue", "stack", "deque", "priority-queue"}) {
    const auto generated = generate({.model = model, .operations = 3000, .spoil = true});
    ASSERT_TRUE(generated.ok());
    std::set<std::int64_t> seen;
    const History& h = generated->history;
    for (OperationId i = 0; i < h.size(); ++i) {
      if (h.args(i).empty()) continue;
      EXPECT_TRUE(seen.insert(h.values().as_integer(h.args(i)[0])).second) << model;
    }
  }
}

TEST(Generate, SaysWhatIsWrongWithTheOptions) {
  const std::vector<std::pair<GenerateOptions, std::string>> wrong = {
      {{.model = "quue"}, "did you mean 'queue'"},
      {{.processes = 0}, "0 processes"},
      {{.keys = 0}, "0 keys"},
      {{.values = 0}, "0 values"},
      {{.overlap = 1.5}, "overlap 1.5"},
      {{.pending = -1}, "pending -1"},
      {{.operations = 3, .spoil = true}, "too few to spoil"},
      {{.model = "map", .profile = Profile::kBursts}, "no other profile"},
  };
  for (const auto& [options, message] : wrong) {
    const auto generated = generate(options);
    ASSERT_FALSE(generated.ok()) << message;
    EXPECT_NE(generated.error().message.find(message), std::string::npos) << generated.error().message;
  }
}

TEST(Generate, NothingIsAHistoryToo) {
  const auto generated = generate({.operations = 0});
  ASSERT_TRUE(generated.ok());
  EXPECT_TRUE(generated->history.empty());
}

}  // namespace
}  // namespace plumb
