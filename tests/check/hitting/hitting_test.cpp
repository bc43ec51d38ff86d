// Strong hitting families by their definition, and the engine that looks for witnesses in them.
#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/depth.hpp>

#include "check/partition.hpp"
#include "support/agree.hpp"
#include "support/algorithm_one.hpp"
#include "support/enumerate.hpp"
#include "support/model_name.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

using test::AlgorithmOne;
using test::Tuple;

const Budget& unlimited() {
  static const Budget budget(std::nullopt, nullptr);
  return budget;
}

// A history of writes in this shape, as a whole.
class Laid {
 public:
  explicit Laid(const test::Shape& shape) : Laid(history_of(shape)) {}
  explicit Laid(History history, const Model& model = *find_model("register").value())
      : history_(std::move(history)),
        bound_(BoundHistory::bind(history_, model).value()),
        partition_(bound_, PartitionBy::kObject),
        poset_(partition_.parts().front()) {}
  Laid(const Laid&) = delete;
  Laid& operator=(const Laid&) = delete;

  [[nodiscard]] const HittingPoset& poset() const { return poset_; }
  [[nodiscard]] const Part& part() const { return partition_.parts().front(); }
  [[nodiscard]] const BoundHistory& bound() const { return bound_; }

 private:
  static History history_of(const test::Shape& shape) {
    test::Script script;
    for (const auto& span : shape.operations) script.add(span.process, "write(1):null", span.call, span.ret);
    for (test::Op& op : script.operations) {
      if (op.is_pending()) op.result.reset();
    }
    return script.build();
  }

  History history_;
  BoundHistory bound_;
  Partition partition_;
  HittingPoset poset_;
};

// m·n!/(n-d+1)!
std::uint64_t bound_on_size(const HittingPoset& poset, unsigned depth) {
  std::uint64_t bound = poset.chains;
  for (unsigned i = 0; i + 1 < depth; ++i) bound *= poset.size() - i;
  return bound;
}

bool has_pending(const HittingPoset& poset) {
  return std::ranges::any_of(poset.operations, &HittingPoset::Operation::is_pending);
}

// The family is that of Algorithm 1, no larger than the paper says, and, where every operation returns,
// strongly hits every tuple.
void expect_strong_hitting(const HittingPoset& poset, unsigned depth) {
  const auto family = hitting_family(poset, depth, unlimited());
  ASSERT_TRUE(family.has_value());
  ASSERT_EQ(std::set<Schedule>(family->begin(), family->end()), AlgorithmOne(poset).family(depth));
  ASSERT_EQ(hitting_family_size(poset, depth, unlimited()), family->size());
  ASSERT_LE(family->size(), bound_on_size(poset, depth));
  for (const Schedule& schedule : *family) ASSERT_TRUE(test::is_linear_extension(poset, schedule));
  if (has_pending(poset)) return;
  test::for_each_tuple(poset.size(), depth, [&](const Tuple& tuple) {
    ASSERT_TRUE(std::ranges::any_of(
        *family, [&](const Schedule& schedule) { return test::strongly_hits(poset, schedule, tuple); }));
  });
}

// Every interval order of up to five operations, with the chains of the processes that run them, and with
// operations that do not return.
TEST(HittingFamily, StronglyHitsEveryTupleOfEverySmallPoset) {
  std::size_t posets = 0;
  for (std::size_t n = 1; n <= 5; ++n) {
    for (const test::Shape& shape : test::Shapes::all(n, 3)) {
      if (!test::in_sample(posets++, n == 5 ? std::min(1.0, 0.25 * test::test_scale()) : 1.0)) continue;
      const Laid laid(shape);
      for (unsigned depth = 1; depth <= std::min<std::size_t>(n, 4); ++depth) {
        expect_strong_hitting(laid.poset(), depth);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_EQ(posets, 1342U);
}

// Wider ones at random: operations go to any process that is free.
TEST(HittingFamily, StronglyHitsEveryTupleOfRandomPosets) {
  for (const std::uint64_t seed : test::Seeds(test::scaled(200))) {
    Rng rng(seed);
    const test::RandomShape shape{.processes = 2 + rng.below(5),
                                  .operations = 6 + rng.below(3),
                                  .crash = seed % 2 == 0 ? 0.0 : 0.1,
                                  .spoil = 0,
                                  .coarseness = static_cast<Time>(1 + rng.below(3))};
    const Laid laid(test::RandomHistory(*find_model("register").value(), shape, seed).make().build());
    for (unsigned depth = 1; depth <= 3; ++depth) {
      expect_strong_hitting(laid.poset(), depth);
      if (HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }
}

TEST(HittingFamily, OfAChainIsOneSchedule) {
  const Laid laid(test::draw("|-write(1)-| |-write(2)-| |-write(3)-|").build());
  for (unsigned depth = 1; depth <= 3; ++depth)
    EXPECT_EQ(hitting_family_size(laid.poset(), depth, unlimited()), 1U);
  EXPECT_EQ(hitting_family_size(laid.poset(), 5, unlimited()), 0U) << "there are no four operations to name";
}

// The smallest d whose family, as Algorithm 1 makes it, has a schedule that the model can run.
std::optional<unsigned> depth_by_definition(const Laid& laid, unsigned deepest) {
  const AlgorithmOne algorithm(laid.poset());
  const History& history = laid.bound().history();
  for (unsigned depth = 1; depth <= deepest; ++depth) {
    for (const Schedule& schedule : algorithm.family(depth)) {
      const auto states = test::states_of(history, laid.bound().model());
      std::vector<StateId> now = {states->initial()};
      for (const std::uint32_t op : schedule) {
        const OperationId id = laid.poset().operations[op].id;
        std::vector<StateId> next;
        for (const StateId state : now) {
          const std::size_t before = next.size();
          states->step(state, laid.bound().call(id), laid.bound().result(id), next);
          if (next.size() == before && history.is_pending(id)) next.push_back(state);  // it did not happen
        }
        now = std::move(next);
      }
      if (!now.empty()) return depth;
    }
  }
  return std::nullopt;
}

class Hitting : public ::testing::TestWithParam<const Model*> {};

TEST_P(Hitting, FindsAWitnessExactlyWhereTheFamilyHasOne) {
  const Model& model = *GetParam();
  constexpr unsigned kDeepest = 3;
  std::array<std::size_t, kDeepest + 1> found = {};
  for (const std::uint64_t seed : test::Seeds(test::scaled(150))) {
    Rng rng(seed * 31);
    const test::RandomShape shape{
        .processes = 2 + rng.below(3), .operations = 4 + rng.below(4), .crash = 0.1, .spoil = 0.3};
    const Laid laid(test::RandomHistory(model, shape, seed).make().build(), model);
    CheckOptions options = test::options(Engine::kHitting);
    options.partition = false;
    options.max_depth = kDeepest;
    const auto verdict = check(laid.bound().history(), model, options);
    ASSERT_TRUE(verdict.ok());
    const auto expected = depth_by_definition(laid, kDeepest);
    ASSERT_EQ(verdict->depth, expected) << "seed " << seed << "\n"
                                        << test::Script::of(laid.bound().history()).text();
    ASSERT_TRUE(test::verdict_holds(laid.bound().history(), model, *verdict)) << "seed " << seed;
    options.hitting_only = true;
    const auto alone = check(laid.bound().history(), model, options);
    ASSERT_EQ(alone->outcome, expected ? Outcome::kHolds : Outcome::kUnknown);
    ++found[expected.value_or(0)];
  }
  EXPECT_GT(found[1], test::scaled(20));
}

INSTANTIATE_TEST_SUITE_P(Models, Hitting,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

TEST(Hitting, SaysHowItCameToItsVerdict) {
  const History easy = test::draw("|--write(1)--|\n  |--read:1--|").build();
  CheckOptions options = test::options(Engine::kHitting);
  const Model& model = *find_model("register").value();
  auto verdict = check(easy, model, options);
  EXPECT_EQ(to_string(verdict->engines), "hitting");
  EXPECT_EQ(verdict->why, "asked for");
  EXPECT_EQ(verdict->depth, 1U);
  const History bad = test::draw("|--write(1)--|  |--read:2--|").build();
  verdict = check(bad, model, options);
  EXPECT_EQ(to_string(verdict->engines), "hitting+wgl");
  EXPECT_EQ(verdict->why, "no witness in the hitting families up to depth 5, handed over to wgl");
  EXPECT_EQ(verdict->outcome, Outcome::kViolation);
  EXPECT_EQ(verdict->depth, std::nullopt);
  options.hitting_only = true;
  options.max_depth = 2;
  verdict = check(bad, model, options);
  EXPECT_EQ(to_string(verdict->engines), "hitting");
  EXPECT_EQ(verdict->why, "no witness in the hitting families up to depth 2");
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_EQ(check(test::Script().build(), model, test::options(Engine::kHitting))->depth, 0U);
}

// Schedules are not gone through one by one: what has settled is forgotten, so a long history is no trouble.
TEST(Hitting, LongHistoriesAreSwept) {
  test::Script script;
  for (int i = 0; i < 2000; ++i) {
    const bool early = i == 1000;  // once, the write has to come after the read
    script.add(0, fmt::format("write({}):null", i), 10 * i, 10 * i + 4);
    script.add(1, fmt::format("read:{}", early ? i - 1 : i), 10 * i + 1, 10 * i + 5);
  }
  const auto verdict =
      check(script.build(), *find_model("register").value(), test::options(Engine::kHitting));
  EXPECT_EQ(verdict->outcome, Outcome::kHolds);
  EXPECT_EQ(verdict->depth, 2U);
}

// A history of the shape of the paper's Figure 2, whose drawing is lost: 7 threads of 2 operations, the
// first three as in the text, 48 concurrent pairs. Everything but one addAll saw an empty queue: to
// delay that one is enough.
constexpr std::string_view kFigure2Events =
    "c10 c0 c12 c6 c2 r6 c4 r4 c5 c8 c7 r0 r8 c1 c9 r1 r12 r2 c3 r3 r9 r5 c13 r10 c11 r13 r7 r11";
constexpr std::array kFigure2 = {"toString:\"[]\"",
                                 "poll:null",
                                 "size:0",
                                 "isEmpty:true",
                                 "clear:null",
                                 "addAll([1,2]):true",
                                 "removeAll([1,0]):false",
                                 "retainAll([2,0]):false",
                                 "retainAll([0,0]):false",
                                 "poll:null",
                                 "toArray:\"[]\"",
                                 "poll:1",
                                 "containsAll([1,1]):false",
                                 "remove(0):false"};

History figure2() {
  std::array<Time, kFigure2.size()> call = {};
  std::array<Time, kFigure2.size()> ret = {};
  std::istringstream events{std::string(kFigure2Events)};
  Time now = 0;
  for (std::string event; events >> event; ++now)
    (event[0] == 'c' ? call : ret)[std::stoul(event.substr(1))] = now;
  test::Script script;
  for (std::size_t i = 0; i < kFigure2.size(); ++i) {
    script.add(static_cast<int>(i / 2), kFigure2[i], call[i], ret[i]);
  }
  return script.build();
}

TEST(Hitting, Figure2) {
  const History history = figure2();
  const Model& model = *find_model("java:ConcurrentLinkedQueue").value();
  const auto report = measure_depth(history, model);
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->verdict.depth, 1U);
  EXPECT_EQ(report->concurrency, 7U);
  EXPECT_EQ(report->concurrent_pairs, 48U);
  EXPECT_EQ(report->families[0], 7U);
  EXPECT_TRUE(test::is_witness(history, model, report->verdict.linearization));
  const Laid laid(figure2(), model);
  EXPECT_EQ(depth_by_definition(laid, 1), 1U);
  const std::uint32_t add_all = 5;
  const auto& operations = laid.poset().operations;
  const auto number = static_cast<std::uint32_t>(
      std::ranges::find(operations, add_all, &HittingPoset::Operation::id) - operations.begin());
  const auto family = hitting_family(laid.poset(), 1, unlimited());
  EXPECT_TRUE(std::ranges::any_of(*family, [&](const Schedule& schedule) {
    return test::strongly_hits(laid.poset(), schedule, {number});
  }));
}

}  // namespace
}  // namespace plumb
